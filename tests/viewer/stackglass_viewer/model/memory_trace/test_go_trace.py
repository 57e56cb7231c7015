"""Go's traces, byte by byte: ids, sizes by spans, types by generation, order, damage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from harness.go_trace_writer import (
    HEADER,
    MINIMUM,
    PAGE,
    STACK,
    batch,
    clock,
    events,
    info,
    kind_class,
    object_id,
    span_id,
    stack_id,
    strings,
    types,
    varints,
)
from harness.trace_check import check_trace, try_open
from stackglass_viewer.model.memory_trace.events import EventKind
from stackglass_viewer.model.memory_trace.live_blocks import Moment, Space
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

SPAN, OBJECT = MINIMUM + 16 * PAGE, MINIMUM + 16 * PAGE + 96
CLASS_48 = kind_class(5)
START = HEADER + strings() + info() + clock()


def open_go(content: bytes, folder: Path) -> MemoryTrace:
    trace = try_open(content, folder)
    assert isinstance(trace, MemoryTrace), trace
    return trace


def list_live(trace: MemoryTrace, event: int = -1, space: Space = Space.OBJECT) -> list[object]:
    moment = trace.index.end if event < 0 else Moment(event, 0)
    live = trace.list_live(moment, space)
    names = [trace.names.name_type(each) for each in live.type.tolist()]
    return list(zip(live.address.tolist(), live.size.tolist(), names, strict=True))


@pytest.mark.checklist(117)
@pytest.mark.parametrize("address", [MINIMUM, MINIMUM + 8, OBJECT, MINIMUM + (1 << 40)])
def test_addresses_come_back_from_ids(address: int, tmp_path: Path) -> None:
    page, stack = address // PAGE * PAGE, address // STACK * STACK
    content = START + events(
        [
            (129, 0, span_id(page), 1, kind_class(1)),
            (132, 1, object_id(address), 0),
            (135, 1, stack_id(stack), 12),
        ]
    )
    trace = open_go(content, tmp_path)
    assert trace.list_live(trace.index.end).address.tolist() == [address]
    assert trace.list_live(trace.index.end, Space.SPAN).address.tolist() == [page]
    assert trace.list_live(trace.index.end, Space.STACK).address.tolist() == [stack]


@pytest.mark.parametrize(("order", "size"), [(12, 2048), (13, 4096), (21, 1 << 20), (0, 0)])
def test_the_order_of_a_stack_is_its_bit_length(order: int, size: int, tmp_path: Path) -> None:
    """Trap 5: it is written as log2 plus 1."""
    trace = open_go(START + events([(134, 0, 3, order)]), tmp_path)
    assert trace.list_live(trace.index.end, Space.STACK).size.tolist() == [size]


def test_an_object_has_the_size_of_its_spans_slots(tmp_path: Path) -> None:
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, CLASS_48),
            (132, 1, object_id(OBJECT), 0),
            (129, 1, span_id(SPAN) + 1, 5, kind_class(0)),  # one object of 40 KiB
            (132, 1, object_id(SPAN + PAGE), 0),
        ]
    )
    sizes = [(OBJECT, 48, ""), (SPAN + PAGE, 5 * PAGE, "")]
    assert list_live(open_go(content, tmp_path)) == sizes


def test_a_page_that_comes_again_has_the_slots_of_its_new_span(tmp_path: Path) -> None:
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, CLASS_48),
            (130, 1, span_id(SPAN)),
            (129, 1, span_id(SPAN), 1, kind_class(11)),
            (132, 1, object_id(SPAN), 0),
        ]
    )
    assert list_live(open_go(content, tmp_path)) == [(SPAN, 144, "")]


def test_objects_end_with_their_span(tmp_path: Path) -> None:
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, CLASS_48),
            (132, 1, object_id(OBJECT), 0),
            (132, 1, object_id(OBJECT + 48), 0),
            (133, 1, object_id(OBJECT + 48)),
            (130, 1, span_id(SPAN)),
            (133, 1, object_id(OBJECT)),  # Go writes it afterwards
        ]
    )
    trace = open_go(content, tmp_path)
    assert list_live(trace) == []
    assert trace.index.troubles.n_dropped == 1
    assert trace.index.troubles.n_unknown_frees == 0
    facts = trace.list_blocks(Moment(3, 0), OBJECT, OBJECT + 1)
    assert [(each.death_ns, each.death_kind) for each in facts] == [(4, EventKind.SPAN_FREE)]


def test_small_objects_share_a_slot_and_its_free(tmp_path: Path) -> None:
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, kind_class(2, has_pointers=False)),
            (132, 1, object_id(SPAN), 0),
            (132, 1, object_id(SPAN + 8), 0),
            (133, 1, object_id(SPAN)),
        ]
    )
    trace = open_go(content, tmp_path)
    assert list_live(trace, 3) == [(SPAN, 16, "")]
    assert list_live(trace) == []
    assert trace.index.troubles[1:] == (0, 0, 0)


def test_an_object_behind_its_header_is_freed_by_its_slot(tmp_path: Path) -> None:
    slot = kind_class(29)  # of 704 bytes
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, slot),
            (132, 1, object_id(SPAN + 704 + 8), 0),
            (133, 1, object_id(SPAN + 704)),
        ]
    )
    trace = open_go(content, tmp_path)
    assert list_live(trace, 2) == [(SPAN + 704, 704, "")]
    assert trace.index.troubles.n_unknown_frees == 0


def test_ids_of_types_are_of_their_generation(tmp_path: Path) -> None:
    content = (
        START
        + events([(129, 0, span_id(SPAN), 1, CLASS_48), (132, 1, object_id(SPAN), 3)])
        + types({3: "main.Node", 4: "[]int"})
        + clock(2)
        + events([(132, 0, object_id(OBJECT), 3)], generation=2, ticks=2000)
        + types({3: "string"}, generation=2)
    )
    assert list_live(open_go(content, tmp_path)) == [
        (SPAN, 48, "main.Node"),
        (OBJECT, 48, "string"),
    ]


def test_batches_may_come_in_any_order(tmp_path: Path) -> None:
    """Types before events, a later thread's batch first, the next generation in between."""
    parts = [
        events([(129, 0, span_id(SPAN), 1, CLASS_48)], tid=1, ticks=1000),
        events([(132, 5, object_id(SPAN), 3)], tid=2, ticks=1000),
        events([(133, 9, object_id(SPAN))], tid=3, ticks=1000),
        types({3: "main.Node"}),
        info(),
        clock(),
        events([(132, 0, object_id(OBJECT), 1)], generation=2, tid=1, ticks=2000),
        types({1: "int"}, generation=2),
    ]
    rng = random.Random(1)
    for _ in range(20):
        rng.shuffle(parts)
        trace = open_go(HEADER + b"".join(parts), tmp_path)
        assert list_live(trace) == [(OBJECT, 48, "int")]
        assert list_live(trace, 2) == [(SPAN, 48, "main.Node")]
        assert trace.index.troubles[1:] == (0, 0, 0)


def test_a_type_that_is_missing_is_unknown_and_said(tmp_path: Path) -> None:
    content = START + events([(129, 0, span_id(SPAN), 1, CLASS_48), (132, 1, object_id(SPAN), 77)])
    trace = open_go(content, tmp_path)
    assert list_live(trace) == [(SPAN, 48, "")]
    assert any("missing in the table" in line for line in trace.warnings)


def test_ticks_become_nanoseconds_and_wall_clock(tmp_path: Path) -> None:
    content = HEADER + info() + clock(ticks_per_s=64_000_000)
    content += events([(134, 0, 3, 12), (136, 64_000_000, 3)])
    trace = open_go(content, tmp_path)
    assert trace.index.end.time_ns == 10**9
    assert trace.info.begin_unix_ns == 1_700_000_000 * 10**9 + 250


def test_other_events_are_passed_over_and_collections_kept(tmp_path: Path) -> None:
    content = START + events(
        [
            (16, 1, 5, 1),  # GoStart
            (29, 4, 1, 0),  # GCBegin
            (39, 1, 9),  # GoLabel
            (30, 7, 2),  # GCEnd
        ]
    )
    trace = open_go(content, tmp_path)
    assert trace.index.lane_events.kind.tolist() == [164, 165]
    assert trace.index.lane_events.time_ns.tolist() == [5, 13]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (HEADER + strings() + clock(), "without memory events"),
        (HEADER + info(), "how long its ticks are"),
        (b"go 1.22 trace\0\0\0", "version 1.22"),
        (b"go 1.99 trace\0\0\0", "version 1.99"),
        (START + b"\x07", "is not a batch"),
        (START + events([(131, 0)]), "cut off"),
        (START + events([(60, 0)]), "unknown event"),
        (START + events([(128, 0, 1, 1 << 60, 0)]), "a span has an impossible size"),
        (START + events([(128, 0, 1, 1, 4 * 300)]), "a span has an impossible size"),
        (START + events([(134, 0, 1, 64)]), "a stack has an impossible size"),
        (START + events([(132, 0, 1 << 60, 0)]), "outside of any address space"),
        (START + batch(b"\x00" + varints(1, 2), 1, 0, 0, 1), "a table of types is cut off"),
        (
            HEADER + batch(b"\x01" + varints(1, 0, 8, 8), 1, 0, 0, 1),
            "units of memory are impossible",
        ),
        (HEADER + batch(b"\x01" + varints(1), 1, 0, 0, 1), "description of memory is cut off"),
        (START + b"\x01" + b"\xff" * 11, "more than 64 bits"),
    ],
    ids=range(15),
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    refusal = try_open(content, tmp_path)
    assert isinstance(refusal, str)
    assert reason in refusal


def test_a_trace_cut_off_anywhere_opens_or_is_refused(tmp_path: Path) -> None:
    content = START + events([(129, 0, span_id(SPAN), 1, CLASS_48), (132, 1, object_id(SPAN), 3)])
    content += types({3: "main.Node"})
    whole = 0
    for size in range(len(content)):
        trace = try_open(content[:size], tmp_path)
        if isinstance(trace, MemoryTrace):
            whole += trace.info.is_whole
    assert whole < 6  # cut between two batches it looks whole: the format has no end


def test_a_trace_with_any_byte_changed_opens_or_is_refused() -> None:
    content = START + events(
        [
            (129, 0, span_id(SPAN), 1, CLASS_48),
            (132, 1, object_id(SPAN), 3),
            (130, 1, span_id(SPAN)),
        ]
    )
    content += types({3: "main.Node"})
    rng = random.Random(2)
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << rng.randrange(8)
        check_trace(bytes(changed))


ALLOCATIONS = [(129, 0, span_id(SPAN), 1, CLASS_48), (132, 1, object_id(OBJECT), 0)]
LATE = [ALLOCATIONS[0], (132, 1 << 62, object_id(OBJECT), 0)]


@pytest.mark.parametrize("ticks_per_s", [9_223_372_037, 1 << 62, 2**63, 2**64 - 1])
def test_a_clock_that_is_too_fast_is_refused(ticks_per_s: int, tmp_path: Path) -> None:
    content = HEADER + strings() + info() + clock(ticks_per_s=ticks_per_s) + events(ALLOCATIONS)
    reason = f"it is damaged: it has {ticks_per_s} ticks per second"
    assert try_open(content, tmp_path) == f"cannot open file: {reason}"


@pytest.mark.parametrize(
    ("ticks_per_s", "begin", "reason"),
    [
        (1, 1000, "it is damaged: its events are centuries apart"),
        (1, 2**64 - 1, "it is damaged: the time of an event has more than 64 bits"),
        (1_000_000_000, 2**64 - 1, "it is damaged: the time of an event has more than 64 bits"),
    ],
)
def test_times_that_are_too_far_apart_are_refused(
    ticks_per_s: int, begin: int, reason: str, tmp_path: Path
) -> None:
    content = HEADER + strings() + info() + clock(ticks_per_s=ticks_per_s)
    found = try_open(content + events(LATE, ticks=begin), tmp_path)
    assert found == f"cannot open file: {reason}"


@pytest.mark.parametrize("begin", [1000, 2**63 - 1, 2**64 - 100])
def test_times_count_from_the_first_batch_whatever_its_ticks(begin: int, tmp_path: Path) -> None:
    trace = open_go(START + events(ALLOCATIONS, ticks=begin), tmp_path)
    assert trace.list_live(trace.index.end).birth_ns.tolist() == [1]


@pytest.mark.parametrize(
    ("unix_s", "unix_ns"),
    [(1_700_000_000, 1_700_000_000 * 10**9 + 250), (10**10, 0), (2**64 - 1, 0)],
)
def test_a_wall_clock_beyond_64_bits_is_unknown(unix_s: int, unix_ns: int, tmp_path: Path) -> None:
    content = HEADER + strings() + info() + clock(unix_s=unix_s) + events(ALLOCATIONS)
    assert open_go(content, tmp_path).info.begin_unix_ns == unix_ns
