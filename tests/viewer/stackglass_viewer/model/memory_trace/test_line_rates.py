"""Allocation rates by line of code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from harness.traced_memory import ListedSource, make_events, make_random_rows, read_trace
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace import line_rates
from stackglass_viewer.model.memory_trace.line_rates import EndLines, number_lines, read_line_rates
from stackglass_viewer.model.memory_trace.rate_table import (
    OTHERS,
    RateTable,
    list_line_rates,
    list_rates,
)
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_index import OTHER_LINES
from stackglass_viewer.native import _loops

STACKS = (
    "0 alloc 0x8 0 at=main;load;parse\n0 free 0x8\n0 alloc 0x8 0 at=main;keep\n0 free 0x8\n--\n"
)


def open_random(seed: int, folder: Path, n: int = 3000) -> MemoryTrace:
    """Stacks 1 to 4 are main, load, parse, keep; others are none."""
    names = read_trace(STACKS).names
    rows = make_random_rows(seed, n)
    for row in rows[::7]:
        row["stack"] = 99  # a stack that the file does not define
    return MemoryTrace(ListedSource([make_events(rows)], names), "x", folder=folder)


def list_tables(trace: MemoryTrace) -> tuple[RateTable, RateTable]:
    names, index = trace.names, trace.index
    return (
        list_rates(names, index.rates, index.end.time_ns),
        list_line_rates(names, index.line_rates, index.end.time_ns),
    )


def sum_rows(table: RateTable) -> tuple[list[int], list[int]]:
    """Objects and bytes of each span."""
    return (
        np.sum([row.n for row in table.rows], axis=0).tolist(),
        np.sum([row.size for row in table.rows], axis=0).tolist(),
    )


@pytest.mark.parametrize("seed", range(4))
def test_lines_and_types_are_two_partitions_of_the_same_allocations(
    seed: int, tmp_path: Path
) -> None:
    types, lines = list_tables(open_random(seed, tmp_path))
    assert types[:4] == lines[:4]
    assert sum_rows(types) == sum_rows(lines)
    assert sum(sum_rows(lines)[0]) > 1000


@pytest.mark.parametrize("joined", [1, 8])
def test_a_line_has_what_its_stacks_allocated_in_each_span(
    joined: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_rates, "_MOST_COUNTED", 5 * 1024 // joined)
    trace = open_random(9, tmp_path)
    types, lines = list_tables(trace)
    assert lines.span_ns == joined * types.span_ns
    for span in range(0, lines.n_spans, 40 // joined):
        begin = lines.begin_ns + span * lines.span_ns
        first, last = (trace.find_moment(at - 1) for at in (begin, begin + lines.span_ns))
        if not span:
            first = first._replace(event=0)
        expected: Counter[str] = Counter()
        rows = trace.sum_allocations(first, last)
        for stack, n in zip(rows.stack.tolist(), rows.n.tolist(), strict=True):
            names = {1: "main", 2: "load", 3: "parse", 4: "keep"}
            expected[names.get(stack, "<no stack>")] += n
        found = {row.name: int(row.n[span]) for row in lines.rows if row.n[span]}
        assert found == dict(expected)


def test_a_trace_without_stacks_has_no_lines(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace("1 alloc 0x10 8 type=T"), "x", folder=tmp_path)
    types, lines = list_tables(trace)
    assert [row.name for row in types.rows] == ["T"]
    assert not lines.rows


def test_locations_with_one_name_are_one_line() -> None:
    known = read_trace(STACKS).names.definitions
    lines = number_lines(known)
    assert lines.line_of.tolist()[0] == 0
    assert sorted(lines.line_of.tolist()) == [0, 1, 2, 3, 4]
    known.function_name.fill(1)
    assert number_lines(known).line_of.tolist() == [0, 1, 1, 1, 1]


def test_many_lines_are_counted_in_longer_pieces_of_time() -> None:
    def count_joined(n: int) -> int:
        return EndLines(np.empty(0, np.uint32), np.zeros(n, np.int64)).n_joined

    assert [count_joined(n) for n in (2, 4096, 4097, 1 << 20, 1 << 23)] == [1, 1, 2, 256, 1024]


class CountedReplay:
    """A replay that has counted one allocation of each of 600 lines; line k has k bytes."""

    def take_line_rates(self) -> dict[str, Int64s]:
        lines = np.arange(1, 601)
        return {"bin": lines * 0, "line": lines, "n": lines * 0 + 1, "bytes": lines}


def test_lines_beyond_those_that_are_listed_are_one_row(tmp_path: Path) -> None:
    lines = EndLines(np.empty(0, np.uint32), np.arange(-1, 600))
    rates = read_line_rates(cast("_loops.Replay", CountedReplay()), lines, 0, 1)
    assert len(rates.location) == 513
    assert rates.location.tolist()[:2] == [599, 598]
    assert rates.location[-1] == OTHER_LINES
    assert int(rates.n[-1].sum()) == 600 - 512
    assert int(rates.size.sum()) == 600 * 601 // 2
    trace = open_random(1, tmp_path)
    only = type(rates)(rates.edges_ns, rates.location[-1:], rates.n[-1:], rates.size[-1:])
    assert [row.name for row in list_line_rates(trace.names, only, 5).rows] == [OTHERS]


def test_lines_of_a_replay_that_counts_nothing_are_an_error() -> None:
    replay = _loops.Replay(1, 0, 0, 0)
    with pytest.raises(ValueError, match="has no survey"):
        replay.count_lines(np.zeros(1, np.uint32), 1)
    with pytest.raises(ValueError, match="no bins of time are joined"):
        _loops.Replay(1, 0, 1, 8).count_lines(np.zeros(1, np.uint32), 0)
