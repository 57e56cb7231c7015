"""Panel of the call graph: what stands in the place of a graph that is not there."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.graph.panel import CallGraphPanel
from stackglass_viewer.view.widgets.theme import load_theme


def test_a_graph_that_is_being_drawn_is_not_said_to_be_empty(qt: QApplication) -> None:
    panel = CallGraphPanel(load_theme("light"))
    panel.view.set_placeholder("No samples in the last 10 s", "Choose All.")
    panel.show_beginning()
    panel.view.set_placeholder("No samples in the last 10 s", "Choose All.")  # with each status
    assert panel.view.placeholder == ("Drawing the call graph…", "")
    panel.show_scene(None)
    assert panel.view.placeholder == ("No samples in the last 10 s", "Choose All.")
    panel.show_beginning()
    panel.show_failure("It has too many functions.")
    assert panel.view.placeholder == ("No call graph", "It has too many functions.")
    panel.deleteLater()
