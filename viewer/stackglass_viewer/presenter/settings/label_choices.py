"""Label choices of a tab's user: the key of the table, and the labels that are filtered for."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, LabelPattern

_MAX_NAMED = 3


def describe_label(chosen: LabelFilter) -> str:
    """``route = /a``, ``route ~ /a|/b``, ``not route ~ /a``, ``any label ~ /a``."""
    if not isinstance(chosen, LabelPattern):
        return " = ".join(chosen)
    text = f"{chosen.key or 'any label'} ~ {chosen.pattern}"
    return f"not {text}" if chosen.is_excluded else text


def list_label_alternatives(chosen: LabelFilter) -> tuple[LabelFilter, LabelFilter]:
    """A filter, and the one that shows what it hides: with the label, without it."""
    if isinstance(chosen, LabelPattern):
        return chosen._replace(is_excluded=False), chosen._replace(is_excluded=True)
    key, value = chosen
    return chosen, LabelPattern(key, exact_pattern(value), is_excluded=True)


def describe_labels(chosen: Collection[LabelFilter]) -> str:
    """Filters in words: ``route = /a, route = /b``; "" = there is none."""
    named = sorted(chosen)[:_MAX_NAMED]
    text = ", ".join(map(describe_label, named))
    n_more = len(chosen) - len(named)
    return f"{text} and {n_more} more" if n_more else text


class LabelChoices(QObject):
    """GUI thread. Samples are shown that have, of every chosen key, one of its chosen values, and
    none that is excluded."""

    changed = Signal()  # the views have to be built again
    chosen_changed = Signal(object)  # tuple of LabelFilter, in order
    split_changed = Signal(str)  # key; "" = none

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chosen: frozenset[LabelFilter] = frozenset()
        self.key = ""  # of the table; "" = the first that there is
        self.colour_key: str | None = None  # boxes' colours; "" = by function; None = what fits
        self.split_key = ""  # the graph begins with the values of this label; "" = it does not
        self.is_table_shown = False  # it is not built otherwise

    def choose_only(self, label: Label) -> None:
        """This value of its key and no other; other keys keep their choice."""
        self._choose(frozenset(each for each in self.chosen if each[0] != label[0]) | {label})

    def toggle(self, label: LabelFilter) -> None:
        """Add a value to those of its key, or take it away."""
        self._choose(self.chosen ^ {label})

    def add(self, label: LabelFilter) -> None:
        """One more filter, unless it is there."""
        self._choose(self.chosen | {label})

    def change(self, old: LabelFilter, new: LabelFilter) -> None:
        """Another filter in the place of one."""
        self._choose(self.chosen - {old} | {new})

    def choose(self, labels: frozenset[LabelFilter]) -> None:
        """Replace all filters."""
        self._choose(labels)

    def drop_all(self) -> None:
        """Every sample again."""
        self._choose(frozenset())

    def _choose(self, chosen: frozenset[LabelFilter]) -> None:
        if chosen != self.chosen:
            self.chosen = chosen
            self.chosen_changed.emit(tuple(sorted(chosen)))
            self.changed.emit()

    def split(self, key: str) -> None:
        """Begin the graph with the values of a label; "" = with the outermost calls."""
        if key != self.split_key:
            self.split_key = key
            self.split_changed.emit(key)
            self.changed.emit()

    def colour(self, key: str) -> None:
        """Colour the boxes by the values of a label; "" = by function."""
        if key != self.colour_key:
            self.colour_key = key
            self.changed.emit()

    def choose_key(self, key: str) -> None:
        """The key whose values the table lists."""
        if key != self.key:
            self.key = key
            self.changed.emit()

    def show_table(self, is_shown: bool) -> None:
        """Whether the view can be seen."""
        if is_shown != self.is_table_shown:
            self.is_table_shown = is_shown
            if is_shown:
                self.changed.emit()
