"""Key bindings of the call graph."""

from __future__ import annotations

from PySide6.QtCore import Qt

from stackglass_viewer.presenter.document.flame_scene import Direction

_KEY_PAN = 0.15  # share of the visible part

ARROWS = {
    Qt.Key.Key_Up: Direction.CALLER,
    Qt.Key.Key_Down: Direction.CALLEE,
    Qt.Key.Key_Left: Direction.BEFORE,
    Qt.Key.Key_Right: Direction.AFTER,
}
PANS = {
    Qt.Key.Key_A: (-_KEY_PAN, 0.0),
    Qt.Key.Key_D: (_KEY_PAN, 0.0),
    Qt.Key.Key_W: (0.0, -_KEY_PAN),
    Qt.Key.Key_S: (0.0, _KEY_PAN),
}
ACTIONS = {Qt.Key.Key_C: "sandwich", Qt.Key.Key_L: "source", Qt.Key.Key_E: "editor"}
