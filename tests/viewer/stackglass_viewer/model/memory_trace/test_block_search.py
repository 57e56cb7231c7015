"""Deaths of blocks, however long they lived, against the replay in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.naive_replay import NaiveReplay
from harness.traced_memory import ListedSource, make_events, make_random_rows, read_trace
from stackglass_viewer.model.memory_trace import checkpoint_writer, event_order
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, Moment
from stackglass_viewer.model.memory_trace.trace import MemoryTrace


class DeathNotes(NaiveReplay):
    """Also when each block ended, by address and birth."""

    def note(self) -> None:
        self.deaths: dict[tuple[int, int], int] = {}

    def _end(self, space: int, address: int, time_ns: int) -> None:
        if space == 0:
            self.deaths[address, self.live[0, address].birth_event] = time_ns
        super()._end(space, address, time_ns)


@pytest.mark.parametrize("reach_ns", [1, 8000, 1 << 40])
@pytest.mark.parametrize(("seed", "n_start"), [(0, 0), (1, 0), (2, 0), (3, 240), (4, 60)])
def test_every_death_is_found(
    seed: int, n_start: int, reach_ns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_writer, "STEP_EVENTS", 10)
    monkeypatch.setattr(checkpoint_writer, "REACH_NS", reach_ns)
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 7)
    rows = make_random_rows(seed, 900, n_start=n_start)
    listed = [make_events(rows[at : at + 60]) for at in range(0, len(rows), 60)]
    trace = MemoryTrace(ListedSource(listed, read_trace("").names), "rows", folder=tmp_path)
    judge = DeathNotes()
    judge.note()
    judge.apply(rows)
    n_found = 0
    for event in range(20, 900, 83):
        for facts in trace.list_blocks(Moment(event, 0), 0, 1 << 40):
            expected = judge.deaths.get((facts.address, facts.birth_event))
            assert facts.death_ns == expected
            n_found += 1
    assert n_found > 100


def test_the_largest_come_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    text = "\n".join(f"{at} alloc {0x1000 + 64 * at} {at + 1}" for at in range(50))
    trace = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    found = trace.list_blocks(trace.index.end, 0, 1 << 40, limit=3)
    assert [each.size for each in found] == [50, 49, 48]


def test_a_lifetime_is_known_only_from_birth_to_death(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace("0 object 0x10 16\n5 alloc 0x30 16\n9 free 0x10"), "x", folder=tmp_path
    )
    before, own = trace.list_blocks(Moment(2, 5), 0, 1 << 40)
    assert before.flags & BlockFlag.BORN_BEFORE
    assert (before.death_ns, before.lifetime_ns) == (9, None)
    assert (own.death_ns, own.lifetime_ns) == (None, None)
