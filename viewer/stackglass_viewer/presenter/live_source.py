"""Builds what the tab of a process shows from the profile that grows behind it."""

from __future__ import annotations

from stackglass_viewer.model.index import TypeId
from stackglass_viewer.model.live_profile import CPU, SAMPLE_TYPES, THREADS, LiveProfile, LiveView
from stackglass_viewer.model.top import build_top
from stackglass_viewer.model.units import format_count, format_value
from stackglass_viewer.presenter.sources import (
    BuildRequest,
    Built,
    FrameColours,
    build_scene,
    name_type,
)
from stackglass_viewer.presenter.top_model import order_rows
from stackglass_viewer.presenter.values import DocumentInfo, ThreadRow


class LiveSource:
    """A process. Where nobody used the CPU it shows where the threads stand instead."""

    def __init__(self, live: LiveProfile, pid: int) -> None:
        self._live = live
        self._pid = pid
        self._colours = FrameColours()

    @property
    def first_type(self) -> int:
        return CPU

    def build(self, request: BuildRequest) -> Built:
        view = self._take(request, TypeId(request.type_index))
        is_idle = False
        if int(view.values.total[0]) == 0 and request.type_index != THREADS:
            standing = self._take(request, THREADS)
            if int(standing.values.total[0]) > 0:
                view, is_idle = standing, True
        top = build_top(view.tree, view.values)
        colours = self._colours.of(view.tree, request.palette)
        return Built(
            scene=build_scene(view.tree, view.values, colours, request, is_idle),
            top=top,
            rows=order_rows(top, request.arrangement),
            arrangement=request.arrangement,
            info=self._describe(view, request.type_index, is_idle),
            threads=_list_threads(view),
        )

    def _take(self, request: BuildRequest, sample_type: TypeId) -> LiveView:
        return self._live.snapshot(request.span_ns, request.tids, sample_type)

    def _describe(self, view: LiveView, type_index: int, is_idle: bool) -> DocumentInfo:
        total = int(view.values.total[0])
        span = format_value(view.span_ns // 1_000_000_000, "seconds")
        if total == 0:
            description = "no samples yet"
        elif is_idle or view.sample_type == THREADS:
            threads = "1 thread" if total == 1 else f"{format_count(total)} threads"
            description = f"{threads}, where they stand now"
        elif view.values.unit == "count":
            description = f"{format_count(total)} samples in {span}"
        else:
            description = f"{format_value(total, view.values.unit)} of CPU time in {span}"
        if view.n_lost:
            description += f"  ·  {format_count(view.n_lost)} lost"
        return DocumentInfo(
            title="",
            description=description,
            sample_types=tuple(name_type(each, SAMPLE_TYPES) for each in SAMPLE_TYPES),
            type_index=type_index,
            has_stacks=True,
            is_live=True,
        )


def _list_threads(view: LiveView) -> tuple[ThreadRow, ...]:
    whole = sum(thread.value for thread in view.threads)
    return tuple(
        ThreadRow(
            tid=thread.tid,
            name=thread.name or f"thread {thread.tid}",
            share=thread.value / whole if whole else 0.0,
        )
        for thread in view.threads
    )
