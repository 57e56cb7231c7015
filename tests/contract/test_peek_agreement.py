"""``go tool pprof -peek`` is the judge of the callers and callees of a function."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.profiles import encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.sandwich import Half, build_sandwich
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
# The first of them lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

_UNITS = {"nanoseconds": "ns", "bytes": "B"}
_RULE = re.compile(r"^-+\+-+$", re.MULTILINE)
_EDGE = re.compile(r"^ +(?P<value>-?[\d.]+)\D*?\s+\S+%\s+\|   (?P<name>.*)$")
_MIDDLE = re.compile(r"^ *\S+\s+\S+\s+\S+\s+(?P<cum>-?[\d.]+)\D*?\s+\S+%\s+\| (?P<name>\S.*)$")
_INLINE = re.compile(r" \((partial-)?inline\)$")

Edges = dict[str, int]


def read_peek(path: Path, sample_index: int, unit: str) -> dict[str, tuple[Edges, int, Edges]]:
    """Callers, cum and callees of every function, by name."""
    text = run_pprof(
        "-peek",
        ".",
        "-nodecount=0",
        "-nodefraction=0",
        "-edgefraction=0",
        f"-sample_index={sample_index}",
        f"-unit={_UNITS.get(unit, 'minimum')}",
        path,
    )
    peeked: dict[str, tuple[Edges, int, Edges]] = {}
    for block in _RULE.split(text)[2:]:
        callers, callees, middle, cum = Edges(), Edges(), "", 0
        for line in block.strip("\n").splitlines():
            edge, row = _EDGE.match(line), _MIDDLE.match(line)
            if edge:
                name, value = _INLINE.sub("", edge["name"]), int(edge["value"])
                (callees if middle else callers)[name] = value
            elif row:
                middle, cum = _INLINE.sub("", row["name"]), int(row["cum"])
            else:
                raise AssertionError(f"not a row of -peek: {line!r}")
        if middle:
            peeked[middle] = (callers, cum, callees)
    return peeked


def list_next(half: Half) -> Edges:
    """What stands next to the function."""
    tree = half.tree
    nodes = [node for node in range(1, tree.n_nodes) if tree.depth[node] == 1]
    edges = {tree.frame_name[tree.frame[node]]: int(half.values.total[node]) for node in nodes}
    return {name: value for name, value in edges.items() if value}


def check_peeks(path: Path, sample_index: int) -> int:
    """Compare all functions that call themselves nowhere; returns how many."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    tree = build_call_tree(profile)
    unit = profile.sample_types[sample_index].unit
    values = sum_type(tree, profile, TypeId(sample_index))
    top = build_top(tree, values)
    recursive = set(tree.frame[tree.is_recursive].tolist())
    peeked = read_peek(path, sample_index, unit)
    n_compared = 0
    for function, name in enumerate(tree.frame_name):
        if not top.cum[function]:
            continue
        cut = build_sandwich(tree, values, function)
        callers, cum, callees = peeked[name]
        assert cut.cum == cum == top.cum[function], name
        assert cut.flat == top.flat[function], name
        if function not in recursive:
            assert list_next(cut.callers) == callers, name
            assert list_next(cut.callees) == callees, name
            n_compared += 1
    return n_compared


@pytest.mark.parametrize("file", ["go.http.cpu2s.pb.gz", "go.http.heap.gc.pb.gz"])
def test_direct_callers_and_callees_are_pprofs(file: str) -> None:
    profile = open_profile(CORPUS / file)
    assert isinstance(profile, Profile)
    for sample_index in range(len(profile.sample_types)):
        assert check_peeks(CORPUS / file, sample_index) > 3


def test_recursion_among_others(tmp_path: Path) -> None:
    """pprof counts each call of a recursion as an edge; the sandwich has the outermost one."""
    path = tmp_path / "recursion.pb.gz"
    path.write_bytes(encode_stacks("main;fib;fib;fib 4\nmain;fib;fib;add 2\nmain;add 1", "bytes"))
    assert check_peeks(path, 1) == 2  # main and add
    callers, cum, _ = read_peek(path, 1, "bytes")["fib"]
    assert (callers["main"], cum) == (6, 6)
