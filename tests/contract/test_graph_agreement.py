"""The call graph: nodes, edges and their weights are those of ``go tool pprof -dot``."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_shell import print_reports
from harness.printed_graphs import PrintedGraph, read_graph
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_edges import sum_tree_edges
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.graph_trim import GraphLimits, trim_graph
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

PUBLIC = (
    *(CORPUS / "google-pprof" / name for name in ("java.cpu", "java.heap", "sample.cpu")),
    *(CORPUS / "google-pprof" / name for name in ("cppbench.cpu", "cppbench.heap", "gobench.cpu")),
    *sorted(CORPUS.glob("go.*.pb.gz")),
)
LIMITS = (
    GraphLimits(),
    GraphLimits(0, 0.0, 0.0),
    GraphLimits(3, 0.0, 0.0),
    GraphLimits(10),
    GraphLimits(20, 0.0, 0.001),
    GraphLimits(40, 0.05, 0.01),
    GraphLimits(0, 0.02, 0.05),
    GraphLimits(7, 0.01, 0.2),
)


def list_theirs(path: Path, profile: Profile, at: TypeId) -> list[PrintedGraph]:
    sample_type = profile.sample_types[at]
    options = [
        [
            f"sample_index={sample_type.name}",
            f"unit={sample_type.unit}",
            "taghide=.",  # labels count as nodes there
            f"nodecount={limits.max_nodes}",
            f"nodefraction={limits.node_fraction}",
            f"edgefraction={limits.edge_fraction}",
        ]
        for limits in LIMITS
    ]
    return [read_graph(text) for text in print_reports("dot", options, path)]


def list_ours(profile: Profile, at: TypeId) -> list[PrintedGraph]:
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, at)
    top, name = build_top(tree, values), tree.frame_name
    graphs = []
    for limits in LIMITS:
        made = trim_graph(top, limits, lambda is_kept: sum_tree_edges(tree, values, is_kept))
        edges = made.edges
        columns = (edges.caller, edges.callee, edges.weight, edges.is_residual)
        graphs.append(
            PrintedGraph(
                {name[frame]: int(top.cum[frame]) for frame in made.frame.tolist()},
                {
                    (name[caller], name[callee]): (weight, is_residual)
                    for caller, callee, weight, is_residual in zip(
                        *(column.tolist() for column in columns), strict=True
                    )
                    if caller != callee  # which pprof does not draw
                },
            )
        )
    return graphs


def check(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    at = profile.default_type
    assert list_ours(profile, at) == list_theirs(path, profile, at)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_files_of_others(path: Path) -> None:
    check(path)


def test_every_kind_of_line(tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    check(path)


def test_values_below_zero(tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    message = Message.FromString(path.read_bytes())
    for sample in message.sample[::3]:
        sample.value[1] *= -3  # pprof has no order for edges of the same size and another sign
    path.write_bytes(message.SerializeToString())
    check(path)
