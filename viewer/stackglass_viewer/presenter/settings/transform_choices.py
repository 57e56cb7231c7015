"""Transform choices of a tab: the steps that remove or merge frames of its stacks."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.profile.call_paths import join_paths, list_functions
from stackglass_viewer.model.profile.transforms import PATTERN_KINDS, Transform, TransformKind
from stackglass_viewer.model.units import make_printable

_TEXTS = {
    TransformKind.FOCUS: "Only through {}",
    TransformKind.DROP: "Without {}",
    TransformKind.SUBTREE: "From {} on",
    TransformKind.MERGE: "Merged: {}",
    TransformKind.MERGE_FILE: "Merged: {}",
    TransformKind.PACKAGE: "Collapsed: {}",
    TransformKind.OWN_CODE: "Only my code",
    TransformKind.RECURSION: "Recursion collapsed",
    TransformKind.FOCUS_MATCH: "Only through /{}/",
    TransformKind.DROP_MATCH: "Without /{}/",
    TransformKind.SUBTREE_MATCH: "From /{}/ on",
    TransformKind.MERGE_MATCH: "Merged: /{}/",
    TransformKind.SHOW_MATCH: "Only frames /{}/",
}
_MOST_LINES = 16  # of a call path
_OF_FUNCTIONS = (
    TransformKind.FOCUS,
    TransformKind.SUBTREE,
    TransformKind.DROP,
    TransformKind.MERGE,
)


def describe_transform(transform: Transform) -> str:
    """Return the text of a step's chip."""
    if transform.kind is TransformKind.CALL_PATH:
        return f"Subtree of {list_functions(transform.name)[-1]}"
    return _TEXTS[transform.kind].format(transform.name)


def explain_transform(transform: Transform) -> str:
    """Return the text of a step's chip, and below it the functions of a call path, a line each."""
    lines = [describe_transform(transform)]
    if transform.kind is TransformKind.CALL_PATH:
        functions = list_functions(transform.name)
        if len(functions) > _MOST_LINES:
            functions = [functions[0], "…", *functions[2 - _MOST_LINES :]]
        lines += functions
    return "\n".join(map(make_printable, lines))


def list_alternatives(transform: Transform) -> tuple[Transform, ...]:
    """Return the steps that can be done with the same function or pattern, this step included; ()
    = the step has neither."""
    for kinds in (_OF_FUNCTIONS, PATTERN_KINDS):
        if transform.kind in kinds:
            return tuple(transform._replace(kind=kind) for kind in kinds)
    return ()


class TransformChoices(QObject):
    """Keeps the steps in their order. GUI thread."""

    changed = Signal()  # the views have to be built again
    chosen_changed = Signal(object)  # tuple of Transform, in the order in which they are applied

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chosen: tuple[Transform, ...] = ()

    def add(self, transform: Transform) -> None:
        """Add a step at the end, unless it is chosen already. A call path that follows another one
        becomes one path with it."""
        last = self.chosen[-1] if self.chosen else None
        if last is not None and last.kind is transform.kind is TransformKind.CALL_PATH:
            joined = join_paths(last.name, transform.name)
            self._choose((*self.chosen[:-1], transform._replace(name=joined)))
            return
        if transform not in self.chosen:
            self._choose((*self.chosen, transform))

    def drop(self, transform: Transform) -> None:
        """Remove a step; later steps stay."""
        self._choose(tuple(each for each in self.chosen if each != transform))

    def change(self, old: Transform, new: Transform) -> None:
        """Replace a step by another one; if that is there already, only one stays."""
        steps = [new if each == old else each for each in self.chosen]
        self._choose(tuple(dict.fromkeys(steps)))

    def move(self, transform: Transform, by: int) -> None:
        """Move a step one place earlier (−1) or later (1), within the ends."""
        steps = [each for each in self.chosen if each != transform]
        if len(steps) < len(self.chosen):
            index = max(self.chosen.index(transform) + by, 0)
            self._choose((*steps[:index], transform, *steps[index:]))

    def choose(self, steps: tuple[Transform, ...]) -> None:
        """Replace all steps."""
        self._choose(steps)

    def drop_all(self) -> None:
        """Remove all steps."""
        self._choose(())

    def _choose(self, chosen: tuple[Transform, ...]) -> None:
        if chosen != self.chosen:
            self.chosen = chosen
            self.chosen_changed.emit(chosen)
            self.changed.emit()
