"""Steps between checkpoints, of any number of removals, and what reaching a moment costs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from harness.traced_memory import ListedSource, make_events, read_trace
from stackglass_viewer.model.memory_trace import checkpoint_writer, event_order, live_states
from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.live_states import read_live
from stackglass_viewer.model.memory_trace.survey import apply_events
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.native import _loops

N_LIVE = 3000


def list_births(addresses: Sequence[int], time_ns: int) -> EventColumns:
    return make_events(
        {
            "kind": EventKind.OBJECT_ALLOC,
            "time_ns": time_ns,
            "address": each,
            "size": 16,
            "stack": 1,
        }
        for each in addresses
    )


def list_frees(addresses: Sequence[int], time_ns: int) -> EventColumns:
    return make_events(
        {"kind": EventKind.OBJECT_FREE, "time_ns": time_ns, "address": each} for each in addresses
    )


def pack_step(n_freed: int) -> tuple[list[np.ndarray], list[np.ndarray], list[int], list[int]]:
    """A checkpoint, the step after it, what lives before and after."""
    rng = random.Random(n_freed)
    addresses = [16 * (1 + each) for each in rng.sample(range(1 << 20), N_LIVE + 40)]
    old, new = addresses[:N_LIVE], addresses[N_LIVE:]
    freed = set(rng.sample(old, n_freed))
    replay = _loops.Replay(1, 0, 1, 1)
    apply_events(replay, list_births(old, 1))
    whole = [np.asarray(each).copy() for each in replay.pack()]
    apply_events(replay, list_frees(sorted(freed, key=lambda each: each % 97), 2))
    apply_events(replay, list_births(new, 3))
    step = [np.asarray(each).copy() for each in replay.pack_delta()]
    return whole, step, sorted(old), sorted({*old, *new} - freed)


@pytest.mark.parametrize("n_freed", [0, 1, 15, 16, 17, 31, 32, 33, 48, 64, 65, 1000, N_LIVE])
def test_a_step_leads_from_a_checkpoint_to_its_end(n_freed: int) -> None:
    whole, step, before, after = pack_step(n_freed)
    replay = _loops.Replay(99, 0, 0, 0)
    replay.load(*whole)
    assert read_live(replay).address.tolist() == before
    replay.apply_delta(*step)
    assert read_live(replay).address.tolist() == after


def test_a_checkpoint_has_the_block_at_the_last_address() -> None:
    addresses = [16, (1 << 64) - 1]
    replay, loaded = _loops.Replay(1, 0, 1, 1), _loops.Replay(99, 0, 0, 0)
    apply_events(replay, list_births(addresses, 1))
    loaded.load(*(np.asarray(each).copy() for each in replay.pack()))
    assert read_live(loaded).address.tolist() == addresses


@pytest.mark.parametrize("place", [0, 20, 40, -1])
def test_a_step_that_removes_what_is_not_there_is_damage(place: int) -> None:
    whole, step, before, after = pack_step(100)
    removed = sorted(set(before) - set(after))
    replay = _loops.Replay(99, 0, 0, 0)
    replay.load(*whole)
    apply_events(replay, list_frees([removed[place]], 2))
    with pytest.raises(ValueError, match="damaged"):
        replay.apply_delta(*step)


@pytest.mark.parametrize("n_bytes", [70, 72, 100, 200])
def test_a_step_that_ends_early_is_damage(n_bytes: int) -> None:
    whole, (content, groups), _, _ = pack_step(100)
    replay = _loops.Replay(99, 0, 0, 0)
    replay.load(*whole)
    with pytest.raises(ValueError, match="damaged"):
        replay.apply_delta(content[:n_bytes].copy(), groups)


def test_no_moment_costs_more_than_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: blocks loaded, blocks changed, events replayed."""
    monkeypatch.setattr(checkpoint_writer, "STEP_EVENTS", 256)
    monkeypatch.setattr(checkpoint_writer, "REACH_NS", 60_000)
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 64)
    rng = random.Random(6)
    live = [16 * (1 + each) for each in range(1000)]
    parts = [list_births(live, 1)]
    for step in range(4000):
        place = rng.randrange(len(live))
        parts.append(list_frees([live[place]], 2 + step))
        live[place] = 16 * (2000 + step)
        parts.append(list_births([live[place]], 2 + step))
    names = read_trace("1 alloc 0x10 16 at=main").names
    trace = MemoryTrace(ListedSource(parts, names), "churn", folder=tmp_path)
    applied: list[int] = []

    def count(replay: _loops.Replay, events: EventColumns) -> None:
        applied.append(len(events))
        apply_events(replay, events)

    monkeypatch.setattr(live_states, "apply_events", count)
    assert len(trace.index.checkpoints) > 5
    load_ns = 1000 * checkpoint_writer.LOAD_NS
    planned_ns = max(checkpoint_writer.REACH_NS, 1.75 * load_ns)
    for event in range(1000, trace.index.end.event, 101):
        applied.clear()
        trace.sum_live(Moment(event, 0))
        assert sum(applied) <= 256 + 2 * 64
        assert (
            trace._states.measure_reach(event) <= planned_ns + 2 * 64 * checkpoint_writer.APPLY_NS
        )
