"""The replay in C against one in plain Python: any moment, peak, sums, lifetimes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.naive_replay import NaiveReplay
from harness.traced_memory import (
    INFO,
    ListedSource,
    Names,
    make_events,
    make_random_rows,
    read_trace,
)
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace import checkpoint_writer, event_order
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks, Moment, Space
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

Rows = Sequence[dict[str, int]]
Facts = dict[int, tuple[int, ...]]


@pytest.fixture(autouse=True)
def _many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a trace of a hundred million events has them."""
    monkeypatch.setattr(checkpoint_writer, "STEP_EVENTS", 10)
    monkeypatch.setattr(checkpoint_writer, "REACH_NS", 8000)
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 20)


def make_names() -> TraceNames:
    names = Names()
    for text in ("builtins.dict", "builtins.list"):
        names.add_string(text)
    for text in ("main", "main;load", "main;load;parse", "work"):
        names.add_stack(text)
    return TraceNames(names.list_definitions(), {})


def open_rows(rows: Rows, n_block: int, folder: Path) -> MemoryTrace:
    listed = [make_events(rows[at : at + n_block]) for at in range(0, len(rows), n_block)]
    return MemoryTrace(ListedSource(listed, make_names(), INFO), "rows", folder=folder)


def read_facts(blocks: LiveBlocks) -> Facts:
    columns = (
        *(blocks.address, blocks.size, blocks.stack, blocks.birth_ns, blocks.birth_event),
        *(blocks.tid, blocks.domain, blocks.flags),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {address: tuple(facts) for address, *facts in rows}


def expect_facts(naive: NaiveReplay, space: int) -> Facts:
    return {
        address: (
            *(each.size, each.stack, each.birth_ns, each.birth_event, each.tid, each.domain),
            naive.flags(each),
        )
        for (of, address), each in naive.live.items()
        if of == space
    }


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1 << 30),
    n_block=st.integers(1, 400),
    n_start=st.sampled_from((0, 60, 200)),
    picks=st.data(),
)
def test_any_moment_is_as_event_by_event(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    n_block: int,
    n_start: int,
    picks: st.DataObject,
) -> None:
    rows = make_random_rows(seed, 600, n_start=n_start)
    trace = open_rows(rows, n_block, tmp_path_factory.mktemp("side"))
    whole = NaiveReplay()
    whole.apply(rows)
    assert (trace.index.peak_bytes, trace.index.peak.event) == (whole.peak, whole.peak_event)
    troubles = trace.index.troubles
    assert troubles.n_unknown_frees == whole.n_unknown_frees
    assert troubles.n_overwritten == whole.n_overwritten
    assert int(trace.index.lifetimes.n.sum()) == len(whole.lifetimes)
    for event in picks.draw(st.lists(st.integers(0, len(rows)), min_size=1, max_size=6)):
        naive = NaiveReplay()
        naive.apply(rows[:event])
        moment = Moment(event, rows[event - 1]["time_ns"] if event else 0)
        for space in Space.OBJECT, Space.SPAN, Space.STACK:
            assert read_facts(trace.list_live(moment, space)) == expect_facts(naive, int(space))
        sums = trace.sum_live(moment)
        assert int(sums.size.sum()) == naive.object_bytes
        assert int(sums.n.sum()) == sum(space == 0 for space, _ in naive.live)
        allocated = trace.sum_allocations(Moment(0, 0), moment)
        got: Counter[tuple[int, int]] = Counter()
        for stack, size in zip(allocated.stack.tolist(), allocated.size.tolist(), strict=True):
            got[stack, 0] += size
        want: Counter[tuple[int, int]] = Counter()
        for (stack, _), size in naive.allocated.items():
            want[stack, 0] += size
        assert +got == +want
    trace.close()


def test_checkpoints_were_used(tmp_path: Path) -> None:
    trace = open_rows(make_random_rows(1, 2000), 100, tmp_path)
    assert len(trace.index.checkpoints) > 10
    assert max(len(each.steps) for each in trace.index.checkpoints) > 3


def test_a_replay_accounts_for_all_bytes_at_every_checkpoint(tmp_path: Path) -> None:
    rows = make_random_rows(2, 3000)
    trace = open_rows(rows, 100, tmp_path)
    naive = NaiveReplay()
    for checkpoint in trace.index.checkpoints:
        for packed in (checkpoint.whole, *checkpoint.steps):
            naive.apply(rows[naive.n_events : packed.moment.event])
            assert int(trace.sum_live(packed.moment).size.sum()) == naive.object_bytes


def test_times_find_their_moments(tmp_path: Path) -> None:
    rows = make_random_rows(3, 1500)
    trace = open_rows(rows, 64, tmp_path)
    times = [row["time_ns"] for row in rows]
    for time_ns in (0, times[0], times[700], times[700] + 1, times[-1], times[-1] + 10):
        moment = trace.find_moment(time_ns)
        assert moment.event == sum(time <= time_ns for time in times)


def test_scrubbing_backwards_and_forwards_shows_the_same(tmp_path: Path) -> None:
    trace = open_rows(make_random_rows(4, 1500), 64, tmp_path)
    forwards = [read_facts(trace.list_live(Moment(at, 0))) for at in range(0, 1500, 90)]
    backwards = [read_facts(trace.list_live(Moment(at, 0))) for at in range(0, 1500, 90)[::-1]]
    assert forwards == backwards[::-1]


def test_opening_can_be_cancelled(tmp_path: Path) -> None:
    source = read_trace("1 alloc 0x10 16")
    with pytest.raises(CancelledError):
        MemoryTrace(source, "rows", lambda _share: False, tmp_path)
    assert not source.is_closed  # it is the caller's still


def test_progress_rises_to_the_end(tmp_path: Path) -> None:
    shares: list[float] = []
    rows = make_random_rows(5, 1000)
    listed = [make_events(rows[at : at + 100]) for at in range(0, 1000, 100)]
    source = ListedSource(listed, make_names(), INFO)

    def note(share: float) -> bool:
        shares.append(share)
        return True

    MemoryTrace(source, "rows", note, tmp_path)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_an_event_that_cannot_be_is_refused(tmp_path: Path) -> None:
    source = read_trace(f"1 alloc 0x10 {1 << 50}")
    with pytest.raises(ContentError, match="a block is larger than any address space"):
        MemoryTrace(source, "rows", folder=tmp_path)


def test_an_empty_trace_has_moments(tmp_path: Path) -> None:
    trace = MemoryTrace(ListedSource([], make_names()), "rows", folder=tmp_path)
    assert len(trace.list_live(trace.index.end)) == 0
    assert trace.index.peak_bytes == 0
    assert trace.find_moment(5).event == 0


def test_lost_events_mark_only_their_allocator(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(
            """
            1 alloc 0x10 16 domain=obj
            2 alloc 0x20 16 domain=raw
            3 lost 0 9 domain=raw
            4 alloc 0x30 16 domain=raw
            5 lost 0 1 domain=mem
            """
        ),
        "rows",
        folder=tmp_path,
    )
    live = trace.list_live(Moment(4, 4))
    assert dict(zip(live.address.tolist(), live.flags.tolist(), strict=True)) == {
        0x10: 0,
        0x20: 4,
        0x30: 0,
    }
    live = trace.list_live(trace.index.end)
    assert live.flags.tolist() == [4, 4, 0]  # MEM and OBJ share a lane
    assert trace.index.troubles.n_lost == 10
    assert any("10 events were lost" in line for line in trace.warnings)


def test_frees_of_older_blocks_are_counted_and_harmless(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace("1 object 0x10 16\n2 free 0x99\n3 free 0x10"), "rows", folder=tmp_path
    )
    assert trace.index.troubles.n_unknown_frees == 1
    assert trace.index.lifetimes.n_born_before == 1
    assert int(trace.index.lifetimes.n.sum()) == 0


def test_a_reallocation_moves_a_block_and_starts_its_life_anew(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(
            """
            1 alloc 0x10 16 at=main
            8 realloc 0x40 64 from=0x10 at=main;grow
            9 realloc 0x40 96 from=0x40 at=main;grow
            """
        ),
        "rows",
        folder=tmp_path,
    )
    live = trace.list_live(trace.index.end)
    assert (live.address.tolist(), live.size.tolist()) == ([0x40], [96])
    assert live.birth_ns.tolist() == [9]
    assert int(trace.index.lifetimes.n.sum()) == 2
