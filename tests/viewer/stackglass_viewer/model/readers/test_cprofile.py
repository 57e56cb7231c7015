"""cProfile's files: the same numbers as ``pstats``, old files, and hostile ones."""

from __future__ import annotations

import cProfile
import marshal
import pstats
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.top import build_function_top
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.model.readers.cprofile_child import _MalformedError, tabulate
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[4] / "corpus"


def to_ns(seconds: float) -> int:
    return round(seconds * 1e9)


def check(path: Path) -> None:
    """Every function, every pair of functions, every number."""
    table = open_profile(path)
    assert isinstance(table, FunctionTable)
    stats: dict[Any, Any] = pstats.Stats(str(path)).stats  # type: ignore[attr-defined] # undeclared
    keys = [
        (file or "~", line, name)
        for file, line, name in zip(table.file, table.line.tolist(), table.name, strict=True)
    ]
    assert set(keys) == set(stats)
    edges = {}
    for edge in range(len(table.edge_caller)):
        edges[keys[table.edge_caller[edge]], keys[table.edge_callee[edge]]] = (
            int(table.edge_n_calls[edge]),
            int(table.edge_n_primitive_calls[edge]),
            int(table.edge_own[0, edge]),
            int(table.edge_total[0, edge]),
        )
    want = {}
    for row, key in enumerate(keys):
        primitive, calls, own, total, callers = stats[key]
        assert table.n_calls[row] == calls
        assert table.n_primitive_calls[row] == primitive
        assert table.own[0, row] == to_ns(own)
        assert table.total[0, row] == to_ns(total)
        for caller, (n, n_primitive, edge_own, edge_total) in callers.items():
            want[caller, key] = (n, n_primitive, to_ns(edge_own), to_ns(edge_total))
    assert edges == want


def test_the_corpus_file_has_pstats_numbers() -> None:
    check(CORPUS / "cprofile.workload.py3.12.prof")


def test_a_file_of_this_python_has_pstats_numbers(tmp_path: Path) -> None:
    def recurse(n: int) -> int:
        return 0 if n == 0 else 1 + recurse(n - 1)

    profiler = cProfile.Profile()
    profiler.runcall(lambda: [recurse(n) for n in range(9)])
    path = tmp_path / "x.prof"
    profiler.dump_stats(path)
    check(path)


def read(stats: Any) -> FunctionTable:
    return read_pstats(marshal.dumps(stats), lambda: False)


F, G = ("a.py", 1, "f"), ("~", 0, "<built-in len>")


def test_time_comes_first_and_calls_second() -> None:
    table = read({F: (1, 2, 0.25, 0.5, {}), G: (3, 3, 0.25, 0.25, {F: (3, 3, 0.25, 0.25)})})
    assert [each.name for each in table.sample_types] == ["time", "calls"]
    time = build_function_top(table, table.default_type)
    assert (time.total, time.unit) == (500_000_000, "nanoseconds")
    assert time.cum.tolist() == [500_000_000, 250_000_000]
    calls = build_function_top(table, TypeId(1))
    assert (calls.flat.tolist(), calls.total) == ([2, 3], 5)
    assert table.file == ("a.py", "")


def test_functions_have_their_lines() -> None:
    table = read({("shop.py", 42, "take"): (1, 1, 0.5, 0.5, {})})
    top = build_function_top(table, TypeId(0))
    assert top.line is not None
    assert top.line.tolist() == [42]


def test_callers_of_old_are_plain_counts() -> None:
    table = read({F: (1, 1, 0.0, 0.0, {}), G: (4, 4, 0.0, 0.0, {F: 4})})
    assert table.edge_n_calls.tolist() == [4]
    assert table.edge_own.tolist() == [[-1]]


def test_yappis_counts_are_put_in_order() -> None:
    """It writes all calls where cProfile has those from outside of a recursion."""
    fib = ("a.py", 2, "fib")
    table = read_pstats(
        marshal.dumps({fib: (11838, 6, 0.5, 0.5, {fib: (6, 11838, 0.5, 0.5)})}), lambda: False
    )
    assert (table.n_calls.tolist(), table.n_primitive_calls.tolist()) == ([11838], [6])
    assert (table.edge_n_calls.tolist(), table.edge_n_primitive_calls.tolist()) == ([11838], [6])


def test_the_mark_of_sampled_files_is_no_function() -> None:
    assert read({("__sampled__",): True, F: (1, 1, 0.0, 0.0, {})}).n_functions == 1


def test_a_caller_without_a_row_gets_one() -> None:
    table = read({G: (1, 1, 0.0, 0.0, {F: (1, 1, 0.0, 0.0)})})
    assert table.name == ("<built-in len>", "f")
    assert table.n_calls.tolist() == [1, 0]


def test_a_name_of_no_utf8_is_shown_as_such() -> None:
    assert read({("a\udcff.py", 1, "f"): (1, 1, 0.0, 0.0, {})}).file == ("a?.py",)


BAD = {
    "no dictionary of rows": {F: 5},
    "a short row": {F: (1, 1, 0.0)},
    "a time that is none": {F: (1, 1, "x", 0.0, {})},
    "a time that is not a number": {F: (1, 1, float("nan"), 0.0, {})},
    "an endless time": {F: (1, 1, float("inf"), 0.0, {})},
    "a negative count": {F: (-1, 1, 0.0, 0.0, {})},
    "an enormous count": {F: (1 << 70, 1, 0.0, 0.0, {})},
    "a function that is none": {("a", "b", "c"): (1, 1, 0.0, 0.0, {})},
    "a caller that is none": {F: (1, 1, 0.0, 0.0, {("x",): 1})},
    "a caller's list": {F: (1, 1, 0.0, 0.0, {G: [1]})},
}


@pytest.mark.parametrize("stats", BAD.values(), ids=BAD.keys())
def test_what_cprofile_never_writes_is_refused(stats: object) -> None:
    with pytest.raises(ContentError, match="cProfile file, but has"):
        read(stats)


# marshal of a list that says it has two thousand million items; of a reference to nothing; of a
# nest as deep as the file is long.
HOSTILE = [b"\xfb(\x00[\xff\xff\xff\x7f", b"{)\x01r\xff\x00\x00\x00", b"{" + b")\x01" * 500_000]


@pytest.mark.parametrize("content", HOSTILE, ids=["size", "reference", "depth"])
def test_hostile_marshal_kills_nobody(content: bytes) -> None:
    with pytest.raises(ContentError, match="truncated or damaged"):
        read_pstats(content, lambda: False)


def test_a_file_of_python_2_is_not_called_damaged() -> None:
    content = b"{(\3\0\0\0s\1\0\0\0~i\0\0\0\0t\3\0\0\0len(\5\0\0\0i\1\0\0\0"
    with pytest.raises(ContentError, match="of Python 2, which cannot be read: pstats of Python 2"):
        read_pstats(content, lambda: False)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.one_of(st.just(F), st.just(G), st.tuples(st.text(max_size=2))),
        st.one_of(st.integers(), st.tuples(*[st.integers() | st.floats() | st.none()] * 5)),
        max_size=3,
    )
)
def test_any_dictionary_is_a_table_or_malformed(stats: dict[Any, Any]) -> None:
    try:
        table = tabulate(stats)
    except _MalformedError:
        return
    assert len(table["name"]) == len(table["own_ns"])


def test_a_large_file_fits_into_the_limit_of_its_process() -> None:
    keys = [(f"/srv/app/module_{n % 97}.py", n, f"function_{n}") for n in range(50_000)]
    stats = {
        key: (1, 2, 0.5, 1.5, {keys[n * 7 % 50_000 - each]: (1, 1, 0.25, 0.5) for each in range(6)})
        for n, key in enumerate(keys)
    }
    # Version 2 writes every object each time, as if nothing were shared.
    table = read_pstats(marshal.dumps(stats, 2), lambda: False)
    assert (table.n_functions, len(table.edge_caller)) == (50_000, 300_000)
