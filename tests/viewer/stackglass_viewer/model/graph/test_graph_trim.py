"""What of a call graph is shown; ``tests/contract/test_graph_agreement.py`` has pprof beside it."""

from __future__ import annotations

from pathlib import Path

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.call_edges import sum_tree_edges
from stackglass_viewer.model.graph.graph_trim import GraphLimits, TrimmedGraph, trim_graph
from stackglass_viewer.model.graph.top import build_top

EVERYTHING = GraphLimits(0, 0.0, 0.0)


class Trimmed:
    """A graph of stacks, by name."""

    def __init__(self, text: str, folder: Path, limits: GraphLimits) -> None:
        tree, values = grow_tree(text, folder)
        self.names = tuple(tree.frame_name)
        self.graph: TrimmedGraph = trim_graph(
            build_top(tree, values), limits, lambda is_kept: sum_tree_edges(tree, values, is_kept)
        )

    @property
    def nodes(self) -> list[str]:
        return [self.names[frame] for frame in self.graph.frame.tolist()]

    @property
    def edges(self) -> set[tuple[str, str]]:
        edges = self.graph.edges
        pairs = zip(edges.caller.tolist(), edges.callee.tolist(), strict=True)
        return {(self.names[caller], self.names[callee]) for caller, callee in pairs}


def test_small_functions_are_left_out_and_skipped(tmp_path: Path) -> None:
    text = "main;load;parse 60\nmain;load;log;parse 1\nmain;save 39"
    shown = Trimmed(text, tmp_path, GraphLimits(0, 0.02, 0.0))
    assert set(shown.nodes) == {"main", "load", "parse", "save"}
    assert shown.graph.n_found == 5
    assert shown.edges == {("main", "load"), ("load", "parse"), ("main", "save")}


def test_a_function_that_hands_on_everything_goes_first(tmp_path: Path) -> None:
    text = "main;relay;work;a 50\nmain;relay;work;b 50"
    shown = Trimmed(text, tmp_path, GraphLimits(4, 0.0, 0.0))
    assert "relay" not in shown.nodes
    assert ("main", "work") in shown.edges


def test_small_calls_are_left_out(tmp_path: Path) -> None:
    text = "main;f;g 99\nmain;g 1"
    assert ("main", "g") in Trimmed(text, tmp_path, EVERYTHING).edges
    assert Trimmed(text, tmp_path, GraphLimits(0, 0.0, 0.05)).edges == {("main", "f"), ("f", "g")}


def test_detours_are_left_out_but_not_direct_calls(tmp_path: Path) -> None:
    text = "main;f;g 50\nmain;x;g 30\nmain 20"
    direct = Trimmed("main;f;g 50\nmain;g 30\nmain 20", tmp_path, EVERYTHING)
    assert ("main", "g") in direct.edges
    without_x = Trimmed(text, tmp_path, GraphLimits(0, 0.35, 0.0))
    assert set(without_x.nodes) == {"main", "f", "g"}
    assert without_x.edges == {("main", "f"), ("f", "g")}


def test_nothing_has_no_graph(tmp_path: Path) -> None:
    shown = Trimmed("main;f 0", tmp_path, GraphLimits())
    assert (shown.nodes, shown.edges, shown.graph.n_found) == ([], set(), 0)
