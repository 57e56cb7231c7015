"""Label choices of a tab: the key of the table, and the labels that samples are filtered by."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, LabelPattern

_MAX_NAMED = 3


def describe_label(chosen: LabelFilter) -> str:
    """Return a filter in words: ``route = /a``, ``route ~ /a|/b``, ``not route ~ /a``, ``any label
    ~ /a``."""
    if not isinstance(chosen, LabelPattern):
        return " = ".join(chosen)
    text = f"{chosen.key or 'any label'} ~ {chosen.pattern}"
    return f"not {text}" if chosen.is_excluded else text


def list_label_alternatives(chosen: LabelFilter) -> tuple[LabelFilter, LabelFilter]:
    """Return a filter for samples with the label, and one for samples without it."""
    if isinstance(chosen, LabelPattern):
        return chosen._replace(is_excluded=False), chosen._replace(is_excluded=True)
    key, value = chosen
    return chosen, LabelPattern(key, exact_pattern(value), is_excluded=True)


def describe_labels(chosen: Collection[LabelFilter]) -> str:
    """Return filters in words: ``route = /a, route = /b``; "" = there are none."""
    named = sorted(chosen)[:_MAX_NAMED]
    text = ", ".join(map(describe_label, named))
    n_more = len(chosen) - len(named)
    return f"{text} and {n_more} more" if n_more else text


class LabelChoices(QObject):
    """Keeps the filters. GUI thread.

    A sample is shown if it has one of the chosen values for every chosen key, and none that is
    excluded.
    """

    changed = Signal()  # the views have to be built again
    chosen_changed = Signal(object)  # tuple of LabelFilter, sorted
    split_changed = Signal(str)  # key; "" = none

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chosen: frozenset[LabelFilter] = frozenset()
        self.key = ""  # key of the table; "" = the first key
        self.colour_key: str | None = None  # label that colours boxes; "" = none; None = default
        self.split_key = ""  # label whose values the graph begins with; "" = none
        self.is_table_shown = False  # whether a view shows the table: it is built only then

    def choose_only(self, label: Label) -> None:
        """Choose this value alone for its key; filters for other keys stay."""
        self._choose(frozenset(each for each in self.chosen if each[0] != label[0]) | {label})

    def toggle(self, label: LabelFilter) -> None:
        """Add a filter, or remove it."""
        self._choose(self.chosen ^ {label})

    def add(self, label: LabelFilter) -> None:
        """Add a filter, unless it is chosen already."""
        self._choose(self.chosen | {label})

    def change(self, old: LabelFilter, new: LabelFilter) -> None:
        """Replace one filter by another."""
        self._choose(self.chosen - {old} | {new})

    def choose(self, labels: frozenset[LabelFilter]) -> None:
        """Replace all filters."""
        self._choose(labels)

    def drop_all(self) -> None:
        """Remove all filters."""
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
        """Choose the key whose values the table lists."""
        if key != self.key:
            self.key = key
            self.changed.emit()

    def show_table(self, is_shown: bool) -> None:
        """Note whether the table is visible."""
        if is_shown != self.is_table_shown:
            self.is_table_shown = is_shown
            if is_shown:
                self.changed.emit()
