"""Sandwich of a tab: the chosen function between the graphs of its callers and its callees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.colours import colour_changes, colour_frames
from stackglass_viewer.model.graph.edge_sandwich import build_edge_sandwich
from stackglass_viewer.model.graph.flame_layout import lay_out_sizes
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.graph.sandwich import Half, Sandwich, build_sandwich
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.presenter.document.build_request import MERGED_ORDERS, BuildRequest
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    FunctionKey,
    details_of,
    find_again,
    path_of,
    place_of,
)
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.worker import Worker


@dataclass(frozen=True, slots=True, eq=False)
class SandwichScene:
    """A function between its callers and its callees."""

    function: int  # frame
    name: str
    details: FrameDetails  # of the function: flat and cum of the table
    callers: FlameScene
    callees: FlameScene
    is_one_deep: bool = False  # the file has direct callers and callees only, not stacks


@dataclass(frozen=True, slots=True, eq=False)
class CalledTable:
    """The data of a sandwich for a file without stacks: functions, and which calls which."""

    calls: FunctionTable
    top: TopTable
    sample_type: TypeId


def choose_subject(built: Built, request: BuildRequest) -> FlameScene | CalledTable | None:
    """Return the data of a sandwich: the graph, or without stacks the calls of a table."""
    if built.scene is None and built.calls is not None:
        return CalledTable(built.calls, built.top, request.type_index)
    return built.scene


def make_sandwich(scene: FlameScene, function: int, order: str, palette: Palette) -> SandwichScene:
    """Cut a graph at a function. Runs on the worker's thread."""
    cut = build_sandwich(scene.tree, scene.values, function)
    callers, callees = (
        _make_half(scene, half, order, palette) for half in (cut.callers, cut.callees)
    )
    name = scene.tree.frame_name[function]
    return SandwichScene(function, name, _describe(scene, cut, name), callers, callees)


def make_edge_sandwich(
    table: CalledTable, function: int, order: str, palette: Palette
) -> SandwichScene:
    """Make a sandwich of the direct callers and callees. Runs on the worker's thread."""
    calls, top = table.calls, table.top
    cut = build_edge_sandwich(calls, table.sample_type, function)
    colours = colour_frames(calls.name, calls.file, palette)
    callers, callees = (
        FlameScene(
            half.tree,
            half.values,
            lay_out_sizes(half.tree, half.size, MERGED_ORDERS[order]),
            colours,
            palette.root,
            base=top.total,
        )
        for half in (cut.callers, cut.callees)
    )
    name = calls.name[function]
    details = _describe(callers, cut, name)
    return SandwichScene(function, name, details, callers, callees, is_one_deep=True)


def _make_half(scene: FlameScene, half: Half, order: str, palette: Palette) -> FlameScene:
    return replace(
        scene,
        tree=half.tree,
        values=half.values,
        layout=lay_out_sizes(half.tree, half.size, MERGED_ORDERS[order]),
        change_colours=colour_changes(half.values.total, half.size, palette)
        if scene.is_difference
        else None,
        box_colours=None,  # they belong to the boxes of the whole graph
        base=scene.whole,
        before=None,
    )


def _describe(scene: FlameScene, cut: Sandwich, name: str) -> FrameDetails:
    """Return the details of the function over all its calls, so without a share of a caller."""
    return FrameDetails(
        name=name,
        place=place_of(scene, cut.function),
        own=cut.flat,
        total=cut.cum,
        share=cut.cum / scene.whole if scene.whole else 0.0,
        parent_share=1.0,
        relation="",
        unit=scene.unit,
        is_change=scene.is_difference,
    )


def details_in(shown: SandwichScene, node: int, is_caller: bool) -> FrameDetails:
    """Return what the bar shows about a box of one half; node 0 is the function itself.

    The values of a caller's box are those of the function on paths through that caller. Its
    ``parent_share`` is its share of the box next to it, on the way to the function.
    """
    if node <= 0:
        return shown.details
    details = details_of(shown.callers if is_caller else shown.callees, node)
    return replace(details, relation="Of callee") if is_caller else details


def stack_in(shown: SandwichScene, node: int, is_caller: bool) -> str:
    """Return the path between the function and a box as text, innermost frame first."""
    scene = shown.callers if is_caller else shown.callees
    path = path_of(scene.tree, node)
    own = ((shown.name, scene.tree.frame_file[shown.function]),)
    frames = (*own, *path) if is_caller else (*reversed(path), *own)
    return "\n".join(f"{name} ({file})" if file else name for name, file in frames)


def _list_names(subject: FlameScene | CalledTable) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names and files of all functions."""
    if isinstance(subject, CalledTable):
        return subject.calls.name, subject.calls.file
    return subject.tree.frame_name, subject.tree.frame_file


class SandwichChoice(QObject):
    """Holds the chosen function, and cuts the graph at it while a view shows the sandwich.

    The choice survives every refresh, another sample type, another span and another thread. A
    function that has another number in another graph is found by its name. GUI thread.
    """

    changed = Signal(object)  # SandwichScene; None = nothing is chosen, or there are no stacks

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._subject: FlameScene | CalledTable | None = None  # the whole graph, or the calls
        self._order = ""
        self._palette: Palette | None = None
        self._is_watched = False
        self._shown: SandwichScene | None = None
        self.function = -1  # -1 = none is chosen
        self._key: FunctionKey | None = None  # of ``function``; None = not known

    @property
    def is_watched(self) -> bool:
        return self._is_watched

    @property
    def shown(self) -> SandwichScene | None:
        return self._shown

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the sandwich: it is built only then."""
        if is_watched == self._is_watched:
            return
        self._is_watched = is_watched
        if is_watched:
            self._build()
        else:
            self._show(None)

    def set_subject(
        self, subject: FlameScene | CalledTable | None, order: str, palette: Palette
    ) -> None:
        """Set another graph, or a refreshed one; None = there are neither stacks nor calls."""
        self._subject, self._order, self._palette = subject, order, palette
        if subject is not None and self._key is not None:
            self.function = find_again(self._key, self.function, *_list_names(subject))
        self._build()

    def choose(self, function: int) -> None:
        """Choose another function; −1 changes nothing."""
        if function >= 0 and function != self.function:
            self.function, self._key = function, self._find_key(function)
            self._build()

    def _find_key(self, function: int) -> FunctionKey | None:
        names, files = ((), ()) if self._subject is None else _list_names(self._subject)
        return (names[function], files[function]) if function < len(names) else None

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._subject = self._shown = None

    def _build(self) -> None:
        if not self._is_watched:
            return
        make = self._prepare()
        if make is None:
            self._show(None)
        else:
            self._worker.submit("sandwich", make, self._on_made)

    def _prepare(self) -> Callable[[], SandwichScene] | None:
        """Return a function that builds the sandwich; None = there is no choice, or no data."""
        subject, function = self._subject, self.function
        order, palette = self._order, self._palette
        if subject is None or palette is None or function < 0:
            return None
        if isinstance(subject, CalledTable):
            if function < subject.calls.n_functions:
                return partial(make_edge_sandwich, subject, function, order, palette)
        elif function < len(subject.tree.frame_name):
            return partial(make_sandwich, subject, function, order, palette)
        return None

    def _on_made(self, made: SandwichScene) -> None:
        if self._is_watched and made.function == self.function:
            self._show(made)

    def _show(self, shown: SandwichScene | None) -> None:
        retired = [self._shown]  # the worker empties it, once it is no longer shown
        self._shown = shown
        self.changed.emit(shown)
        self._worker.empty(retired)
