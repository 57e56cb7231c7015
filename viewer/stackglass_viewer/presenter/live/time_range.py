"""Source of views through the timeline's window: growth, or allocations in a span."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.top import TopTable, build_change_top, build_top
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.diff import HeapWindow, WindowView
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.units import (
    count_decimals,
    format_change,
    format_clock,
    format_value,
)
from stackglass_viewer.presenter.document.build_request import ORDERS, BuildRequest
from stackglass_viewer.presenter.document.changes import mark_changes
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice


class WindowBuilt(NamedTuple):
    """The views through a window."""

    scene: FlameScene
    top: TopTable
    description: str


def fits_window(choice: HeapChoice | None, window: HeapWindow) -> bool:
    """Whether a window can show this choice.

    Growth is of values in use. A span has allocations, and samples (``choice`` is None). A replay
    has all of them.
    """
    if window.kind == "replay":
        return True
    if choice is None:
        return window.kind == "span"
    return choice.is_in_use == (window.kind == "growth")


def build_window(
    live: LiveProfile,
    window: HeapWindow,
    is_space: bool,
    request: BuildRequest,
    colours: FrameColours,
    labels: frozenset[LabelFilter] = frozenset(),
) -> WindowBuilt:
    """Build the views, on the worker's thread. ``is_space``: bytes, else objects. ``labels``: only
    memory with these labels; empty = all."""
    is_growth = window.kind == "growth"
    if is_growth:
        column = HeapColumn.INUSE_SPACE if is_space else HeapColumn.INUSE_OBJECTS
    else:
        column = HeapColumn.ALLOC_SPACE if is_space else HeapColumn.ALLOC_OBJECTS
    tids = None if is_growth else request.tids
    view = live.heap.view_window(window, column, tids, labels, request.steps)
    tree, values = view.tree, view.values
    layout = lay_out(tree, values, ORDERS[request.order])
    scene = FlameScene(
        tree=tree,
        values=values,
        layout=layout,
        colours=colours.of(tree, request.palette),
        root_colour=request.palette.root,
        frame_line=view.frame_line,
    )
    if not is_growth:
        top = replace(build_top(tree, values), line=view.frame_line)
        return WindowBuilt(scene, top, _describe_allocated(view))
    return WindowBuilt(
        scene=mark_changes(scene, request.palette),
        top=build_change_top(tree, values, view.frame_line),
        description=_describe_growth(view),
    )


def _describe_growth(view: WindowView) -> str:
    unit = view.values.unit
    changes = [format_change(change, unit) for change in (view.grown, -view.shrunk) if change]
    if not changes:
        return f"nothing in use grew or shrank {say_span(view.after, view.until)}"
    what = " objects" if unit == "count" else ""
    return f"{', '.join(changes)}{what} in use {say_span(view.after, view.until)}"


def _describe_allocated(view: WindowView) -> str:
    total = format_value(view.grown, view.values.unit)
    objects = "object" if view.grown == 1 else "objects"
    what = f"{total} {objects}" if view.values.unit == "count" else total
    return f"{what} allocated {say_span(view.after, view.until)}"


def say_span(begin: int, end: int) -> str:
    """Return ``from 0:12.3 to 1:05``. ``begin`` and ``end`` are units of 10 ms."""
    first, last = (format_clock(time / UNITS_PER_S) for time in (begin, end))
    if first == last and begin != end:
        decimals = count_decimals((end - begin) * UNIT_NS)
        first, last = (format_clock(time / UNITS_PER_S, decimals) for time in (begin, end))
    return f"from {first} to {last}"
