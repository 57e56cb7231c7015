"""Details of a function over all its calls: its figures in the table of functions."""

from __future__ import annotations

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.document.flame_scene import FrameDetails


def details_of_function(top: TopTable, function: int) -> FrameDetails:
    """Return the details of a function of the table, without a share of a caller."""
    line = int(top.line[function]) if top.line is not None else 0
    file, total = top.file[function], int(top.cum[function])
    return FrameDetails(
        name=top.name[function],
        place=f"{file}:{line}" if file and line else file,
        own=int(top.flat[function]),
        total=total,
        share=total / top.total if top.total else 0.0,
        parent_share=1.0,
        unit=top.unit,
        is_change=top.is_change,
        relation="",
        before=int(top.cum_before[function]) if top.cum_before is not None else None,
    )
