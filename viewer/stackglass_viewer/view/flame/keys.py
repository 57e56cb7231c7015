"""Key bindings of the flame graph."""

from __future__ import annotations

from PySide6.QtCore import Qt

from stackglass_viewer.presenter.document.flame_scene import Direction
from stackglass_viewer.view.flame.row_geometry import ROW_PX

SCROLL_PX = 3 * ROW_PX  # per notch of the wheel
_KEY_PAN = 0.15  # share of the visible width

ARROWS = {
    Qt.Key.Key_Up: Direction.CALLER,
    Qt.Key.Key_Down: Direction.CALLEE,
    Qt.Key.Key_Left: Direction.BEFORE,
    Qt.Key.Key_Right: Direction.AFTER,
}
OPPOSITE = {Direction.CALLER: Direction.CALLEE, Direction.CALLEE: Direction.CALLER}
ZOOMS = {Qt.Key.Key_Plus: 2, Qt.Key.Key_Equal: 2, Qt.Key.Key_Minus: -2}
"""Notches of the wheel that a key stands for."""
PANS = {
    Qt.Key.Key_A: (-_KEY_PAN, 0),
    Qt.Key.Key_D: (_KEY_PAN, 0),
    Qt.Key.Key_W: (0.0, -SCROLL_PX),
    Qt.Key.Key_S: (0.0, SCROLL_PX),
}
