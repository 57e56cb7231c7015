"""Types of objects: proven later, recycled, and never an older one."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest

from harness.traced_memory import read_trace
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace import checkpoint_writer, event_order
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, Moment
from stackglass_viewer.model.memory_trace.survey_sums import read_rates
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.native import _loops

TEXT = """
    1 alloc 0x10 16
    2 alloc 0x20 16
    3 alloc 0x30 16
    4 free 0x30
    5 recycled 0x20
    9 type 0x10 type=builtins.dict
    9 type 0x20 type=builtins.list
    -- 1
    11 recycled 0x10
    12 alloc 0x50 16
    13 free 0x20
    14 alloc 0x20 16
    19 type 0x10 type=builtins.set
    19 type 0x50 type=builtins.str
"""


@pytest.fixture(params=[1, 1 << 30], ids=["many checkpoints", "many steps"])
def trace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MemoryTrace:
    monkeypatch.setattr(checkpoint_writer, "STEP_EVENTS", 1)
    monkeypatch.setattr(checkpoint_writer, "REACH_NS", request.param)
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", 1)
    return MemoryTrace(read_trace(TEXT), "text", folder=tmp_path)


def list_types(trace: MemoryTrace, event: int) -> dict[int, str]:
    live = trace.list_live(Moment(event, 0))
    names = [trace.names.name_type(each) for each in live.type.tolist()]
    return dict(zip(live.address.tolist(), names, strict=True))


def test_a_type_holds_from_the_birth_that_it_was_proven_of(trace: MemoryTrace) -> None:
    assert list_types(trace, 1) == {0x10: "builtins.dict"}
    assert list_types(trace, 10)[0x50] == "builtins.str"


def test_recycled_memory_has_no_type_before_the_proof(trace: MemoryTrace) -> None:
    """0x20 held another object until event 5: the list was proven of the one since then."""
    assert list_types(trace, 2)[0x20] == ""
    assert list_types(trace, 5)[0x20] == ""
    assert list_types(trace, 7)[0x20] == "builtins.list"


def test_an_older_type_is_never_shown_for_recycled_memory(trace: MemoryTrace) -> None:
    assert list_types(trace, 7)[0x10] == "builtins.dict"
    assert list_types(trace, 8)[0x10] == ""
    assert list_types(trace, 13)[0x10] == "builtins.set"
    flags = trace.list_live(Moment(8, 0)).flags
    assert flags[0] & BlockFlag.RECYCLED


def test_another_block_at_the_address_has_not_the_type_of_the_one_before(
    trace: MemoryTrace,
) -> None:
    assert list_types(trace, 11)[0x20] == ""


def test_what_died_before_its_generation_ended_has_no_type(trace: MemoryTrace) -> None:
    assert list_types(trace, 3)[0x30] == ""


@pytest.mark.checklist(118)
def test_type_0_is_unknown(trace: MemoryTrace) -> None:
    assert trace.names.name_type(0) == ""
    assert trace.names.name_type(1 << 31) == ""


def test_rates_count_a_birth_under_the_type_that_was_proven(trace: MemoryTrace) -> None:
    rates = trace.index.rates
    sums = {
        trace.names.name_type(type_id): int(row.sum())
        for type_id, row in zip(rates.type.tolist(), rates.n, strict=True)
    }
    assert sums["builtins.dict"] == 1
    assert sums["builtins.str"] == 1
    assert sum(sums.values()) == 5  # births
    assert sums[""] == 3


def test_an_object_without_a_stack_dies_at_the_site_of_its_birth(tmp_path: Path) -> None:
    """Whatever type it has got since, also from a later life of its memory."""
    text = """
        1 alloc 0x10 16 type=builtins.dict
        2 recycled 0x10 type=builtins.list
        3 free 0x10
        4 alloc 0x10 32 type=builtins.str
        5 type 0x10 type=builtins.set
        6 recycled 0x10
        7 type 0x10 type=builtins.list
        8 free 0x10
        9 alloc 0x10 64
        10 type 0x10 type=builtins.list
        11 recycled 0x10 type=builtins.set
        12 free 0x10
    """
    trace = MemoryTrace(read_trace(text), "text", folder=tmp_path)
    sites = trace.index.sites
    names = [trace.names.name_type(each) for each in sites.type.tolist()]
    dead = zip(sites.n.tolist(), sites.n_dead.sum(axis=1).tolist(), strict=True)
    assert dict(zip(names, dead, strict=True)) == {
        "builtins.dict": (1, 1),
        "builtins.str": (1, 1),
        "": (1, 1),
    }
    assert sites.size.tolist() == sites.bytes_dead.sum(axis=1).tolist()


READ_LATER = """
    1 alloc 0x10 16
    2 alloc 0x20 48
    -- 1
    11 alloc 0x50 16
    12 type 0x10 type=builtins.dict
    -- 2
    21 free 0x50
    22 type 0x20 type=builtins.list
"""
"""As engines write them: types are read once their generation has ended, and that takes a while."""


@pytest.fixture(params=[1, 256], ids=["from checkpoints", "from the begin"])
def read_later(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MemoryTrace:
    monkeypatch.setattr(checkpoint_writer, "STEP_EVENTS", request.param)
    monkeypatch.setattr(checkpoint_writer, "REACH_NS", request.param)
    monkeypatch.setattr(event_order, "LEAST_PIECE_EVENTS", request.param)
    return MemoryTrace(read_trace(READ_LATER), "text", folder=tmp_path)


def test_types_that_were_read_in_later_generations_hold_before_that(
    read_later: MemoryTrace,
) -> None:
    assert list_types(read_later, 2) == {0x10: "builtins.dict", 0x20: "builtins.list"}
    assert list_types(read_later, 1) == {0x10: "builtins.dict"}
    assert list_types(read_later, 3)[0x50] == ""


def test_births_have_types_that_were_read_in_later_generations(read_later: MemoryTrace) -> None:
    pieces = [events.type[:2].tolist() for _, events in read_later._reader.read(0, 2)]
    names = [read_later.names.name_type(each) for piece in pieces for each in piece]
    assert names == ["builtins.dict", "builtins.list"]


class CountedReplay:
    """A replay that has counted one allocation of each of 600 types; type k has k bytes."""

    def take_rates(self) -> dict[str, Int64s]:
        types = np.arange(1, 601)
        return {"bin": types * 0, "type": types, "n": types * 0 + 1, "bytes": types}


def test_types_beyond_those_that_are_listed_are_added_up_as_not_known() -> None:
    rates = read_rates(cast("_loops.Replay", CountedReplay()), begin_ns=0, bin_ns=1)
    n_of = dict(zip(rates.type.tolist(), rates.n.sum(axis=1).tolist(), strict=True))
    assert len(n_of) == 512
    assert n_of.pop(0) == 600 - 511
    assert set(n_of.values()) == {1}
    assert min(n_of) == 90, "the largest are listed"
