"""Following: keeps a function in its place on the screen when a call graph is laid out anew."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from stackglass_viewer.presenter.document.graph_scene import CallGraphScene


def find_move(
    old: CallGraphScene, new: CallGraphScene, looked_at: tuple[int, int], middle: QPointF
) -> QPointF | None:
    """Return how far a function has moved from ``old`` to ``new``, in the graph's units.

    The function is the first of ``looked_at`` (frames; -1 = none) that is in both graphs, else the
    common one nearest to ``middle``. Returns None if the graphs have no function in common.
    """
    known = [(box, new.boxes[at]) for box in old.boxes if (at := new.box_of(box.frame)) >= 0]
    if not known:
        return None
    first, second = looked_at
    before, after = min(
        known,
        key=lambda pair: (
            pair[0].frame != first,
            pair[0].frame != second,
            (pair[0].center[0] - middle.x()) ** 2 + (pair[0].center[1] - middle.y()) ** 2,
        ),
    )
    return QPointF(after.center[0] - before.center[0], after.center[1] - before.center[1])
