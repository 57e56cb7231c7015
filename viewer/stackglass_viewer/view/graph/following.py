"""Following: keeps a function in its place on the screen when a call graph is laid out anew."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from stackglass_viewer.presenter.document.graph_scene import CallGraphScene, GraphBox


def find_move(
    old: CallGraphScene, new: CallGraphScene, looked_at: tuple[int, int], middle: QPointF
) -> QPointF | None:
    """Return how far a function has moved from ``old`` to ``new``, in the graph's units.

    The function is the first of ``looked_at`` that is in both graphs, else the common one nearest
    to ``middle``. Returns None if the graphs have no function in common.

    ``looked_at``: a frame of ``old``, and one of ``new``; -1 = none. Functions are known by their
    names, because they may have other numbers in the other graph.
    """
    boxes = {_name(new, box): box for box in new.boxes}
    known = [(box, boxes[name]) for box in old.boxes if (name := _name(old, box)) in boxes]
    if not known:
        return None
    first, second = looked_at
    before, after = min(
        known,
        key=lambda pair: (
            pair[0].frame != first,
            pair[1].frame != second,
            (pair[0].center[0] - middle.x()) ** 2 + (pair[0].center[1] - middle.y()) ** 2,
        ),
    )
    return QPointF(after.center[0] - before.center[0], after.center[1] - before.center[1])


def _name(scene: CallGraphScene, box: GraphBox) -> tuple[str, str]:
    return scene.top.name[box.frame], scene.top.file[box.frame]
