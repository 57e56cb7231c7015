"""A pressed button: a click while it stays, a pan once it has moved."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.widgets.pan_drag import PanDrag


def test_a_small_move_is_a_click_and_a_large_one_pans(qt: QApplication) -> None:
    widget = QWidget()
    drag, far_px = PanDrag(widget), QApplication.startDragDistance()
    assert drag.move(QPointF(500, 500)) is None  # nothing is pressed
    drag.press(QPointF(10, 10))
    assert drag.move(QPointF(10 + far_px - 1, 10)) is None
    assert drag.release()
    drag.press(QPointF(10, 10))
    assert drag.move(QPointF(10 + far_px, 10)) == QPointF(-far_px, 0)
    assert widget.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    assert drag.move(QPointF(10, 12)) == QPointF(far_px, -2)
    assert not drag.release()
    assert widget.cursor().shape() is Qt.CursorShape.ArrowCursor
    assert not drag.release()  # it was pressed elsewhere
