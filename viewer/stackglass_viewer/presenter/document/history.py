"""History of a tab: steps back and forward through views, functions, zoom, filters and spans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.presenter.document.flame_scene import FunctionKey
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.settings.filter_sets import FilterSet

_LIMIT = 200
_FUNCTION_VIEW = "sandwich"  # this view shows one function: each selected one is a step


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a tab: view, selected function, filters and zoom."""

    view: str  # name: flame, top …
    function: FunctionKey | int  # ``FunctionSelection.key``; −1 = none
    filters: FilterSet
    zoom: View  # of the flame graph


class History(QObject):
    """The steps back and forward. GUI thread.

    A step is noted after it was made. Scrolling, and zooming by the wheel, are no steps. Functions
    that are selected one after another make one step, and so does a span that moves.
    """

    changed = Signal(bool, bool)  # whether there is a way back, and forward
    place_wanted = Signal(object)  # Place, to be shown

    def __init__(self, read: Callable[[], Place], parent: QObject | None = None) -> None:
        """``read`` returns the current place."""
        super().__init__(parent)
        self._read = read
        self._current: Place | None = None  # None = nothing has been shown yet
        self._is_going = False
        self._is_selecting = False  # whether the last step changed only the selected function
        self._is_moving = False  # whether the last step was a span that moves
        self._back: list[Place] = []
        self._forward: list[Place] = []

    def begin(self) -> None:
        """Note steps from now on, because the first graph is shown."""
        if self._current is None:
            self._current = self._read()

    def note(self, zoom_before: View | None = None, is_moving: bool = False) -> None:
        """Note that the place has changed.

        ``zoom_before`` is the zoom before a step of the zoom; None = the step changed something
        else. ``is_moving``: the step is a span that moves.
        """
        if self._current is None or self._is_going:
            return
        now = self._read()
        before = replace(self._current, zoom=now.zoom if zoom_before is None else zoom_before)
        self._current = now
        if before == now:
            return
        is_selecting = replace(before, function=now.function) == now
        goes_on = is_selecting and self._is_selecting and now.view != _FUNCTION_VIEW
        has_span = None not in (before.filters.span, now.filters.span)
        goes_on |= is_moving and self._is_moving and has_span
        self._is_selecting, self._is_moving = is_selecting, is_moving
        if not goes_on:
            self._back.append(before)
            del self._back[:-_LIMIT]
        self._forward.clear()
        self._emit()

    def go(self, step: int) -> None:
        """Go one place back (-1) or forward (1), if there is one."""
        source, other = (self._back, self._forward) if step < 0 else (self._forward, self._back)
        if not source:
            return
        other.append(self._read())
        place = self._current = source.pop()
        self._is_selecting = self._is_moving = False
        self._is_going = True
        self.place_wanted.emit(place)
        self._is_going = False
        self._emit()

    def forget_zoom(self) -> None:
        """Reset the zoom of all places, because the graph now shows something else."""
        for places in (self._back, self._forward):
            places[:] = [replace(each, zoom=View()) for each in places]

    def rename_labels(self, names: Mapping[LabelFilter, LabelFilter]) -> None:
        """Replace label filters in all places, because the labels have other names now."""

        def rename(place: Place) -> Place:
            return replace(place, filters=place.filters.rename_labels(names))

        self._current = None if self._current is None else rename(self._current)
        for places in (self._back, self._forward):
            places[:] = map(rename, places)

    def _emit(self) -> None:
        self.changed.emit(bool(self._back), bool(self._forward))
