"""The bar of the function whose callers and callees are shown."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.document.flame_scene import FrameDetails
from stackglass_viewer.view.flame.sandwich_bar import SandwichBar
from stackglass_viewer.view.widgets.theme import load_theme


def test_an_odd_name_does_not_change_the_tip(qt: QApplication) -> None:
    bar = SandwichBar(load_theme("light"))
    bar.show_details(FrameDetails("a\nb", "dir\u202e/b.py", 1, 2, 0.5, 0.5, "ns"))
    assert bar.toolTip() == "a\ufffdb\ndir\ufffd/b.py"
    assert bar.accessibleName().startswith("a\ufffdb, flat 1 ns")
    bar.show_details(None)
    assert (bar.toolTip(), bar.accessibleName()) == ("", "")
    bar.deleteLater()
