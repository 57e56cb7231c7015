"""The core's encoder and decoder beside protobuf's, on both schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from harness.wire_session import TextSample, WireSession
from stackglass.errors import WireError
from stackglass.wire import contention_profile, heap_text, messages, pprof, reader, requests, tags
from stackglass.wire.framing import FrameReader
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording
from stackglass_viewer.model.proto import profile_pb2, wire_pb2

U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
BATCHES = st.integers(0, 5).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "strings": st.lists(TEXT, max_size=5),
            **{name: st.lists(U32, min_size=n, max_size=n) for name in messages.Batch._fields[1:]},
            "sample_cpu_ns": st.lists(U64, min_size=n, max_size=n),
        }
    )
)


@given(BATCHES)
def test_what_protobuf_writes_the_core_reads(columns: dict[str, Any]) -> None:
    content = wire_pb2.FromEngine(batch=wire_pb2.Batch(**columns)).SerializeToString()
    assert reader.decode(content) == messages.Batch(**columns)


def columns_of(message: type[Message], names: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """All those columns of a message, equally long."""
    kinds = {name: message.DESCRIPTOR.fields_by_name[name].cpp_type for name in names}
    wide = FieldDescriptor.CPPTYPE_UINT64
    values = {name: U64 if kind == wide else U32 for name, kind in kinds.items()}
    return st.integers(0, 5).flatmap(
        lambda n: st.fixed_dictionaries(
            {name: st.lists(values[name], min_size=n, max_size=n) for name in names}
        )
    )


HEAPS = columns_of(wire_pb2.Heap, messages.Heap._fields)


@given(HEAPS)
def test_heaps_agree(columns: dict[str, Any]) -> None:
    content = wire_pb2.FromEngine(heap=wire_pb2.Heap(**columns)).SerializeToString()
    assert reader.decode(content) == messages.Heap(**columns)
    events: dict[str, list[int]] = {name: [] for name in columns if name.startswith("event_")}
    assert reader.decode(content, has_events=False) == messages.Heap(**{**columns, **events})


@given(st.integers(-(2**63), 2**63 - 1), U64, TEXT)
def test_heap_statuses_agree(signed: int, unsigned: int, text: str) -> None:
    values: dict[str, Any] = {name: unsigned for name in messages.HeapStatus._fields}
    values |= {"time_mono_ns": signed, "full_mono_ns": -1, "unaccounted_bytes": signed}
    values |= {"start_mono_ns": signed}
    values |= {"problem": text, "native_problem": text[::-1], "n_native_libraries": 7}
    values |= {"n_allocators": 3, "arena_library": [text, "x"], "arena_bytes": [unsigned, 0]}
    values |= {"is_listening_to_gc": unsigned % 2, "is_native_seen": 1}
    status = wire_pb2.HeapStatus(**values)
    content = wire_pb2.FromEngine(heap_status=status).SerializeToString()
    given = {name: value for name, value in values.items() if value}
    assert reader.decode(content) == messages.HeapStatus(**given)


@given(columns_of(wire_pb2.Contention, messages.Contention._fields))
def test_contentions_agree(columns: dict[str, Any]) -> None:
    contention = wire_pb2.Contention(**columns)
    content = wire_pb2.FromEngine(contention=contention).SerializeToString()
    assert reader.decode(content) == messages.Contention(**columns)
    events: dict[str, list[int]] = {name: [] for name in columns if name.startswith("event_")}
    without = messages.Contention(**{**columns, **events})
    assert reader.decode(content, has_events=False) == without


@given(st.integers(-(2**63), 2**63 - 1), U64, U32, TEXT)
def test_contention_statuses_agree(signed: int, wide: int, narrow: int, text: str) -> None:
    values: dict[str, Any] = {name: wide for name in messages.ContentionStatus._fields}
    values |= {"time_mono_ns": signed, "start_mono_ns": signed}
    values |= {"gil_hz": narrow, "has_other": 1, "lock_source": text}
    values |= {"gil_source": text[1:], "problem": text[::-1], "gil_problem": text[:1]}
    values |= {"tasks_problem": text[:2]}
    status = wire_pb2.ContentionStatus(**values)
    content = wire_pb2.FromEngine(contention_status=status).SerializeToString()
    given = {name: value for name, value in values.items() if value}
    assert reader.decode(content) == messages.ContentionStatus(**given)


@given(columns_of(wire_pb2.LockWaits, messages.LockWaits._fields[1:]), st.integers(1, 2**63 - 1))
def test_lock_waits_agree(columns: dict[str, Any], time_mono_ns: int) -> None:
    waits = wire_pb2.LockWaits(time_mono_ns=time_mono_ns, **columns)
    content = wire_pb2.FromEngine(lock_waits=waits).SerializeToString()
    assert reader.decode(content) == messages.LockWaits(time_mono_ns, **columns)


CENSUSES = st.tuples(st.integers(0, 5), st.integers(0, 5)).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "time_mono_ns": st.integers(1, 2**63 - 1),
            "longest_hold_ns": st.integers(1, 2**64 - 1),
            "longest_cpu_ns": st.integers(1, 2**64 - 1),
            "n_slices": st.integers(1, 2**32 - 1),
            "problem": TEXT,
            **{
                name: st.lists(
                    U64 if name.endswith(("_count", "_bytes")) else U32,
                    min_size=n[name.startswith("site_")],
                    max_size=n[name.startswith("site_")],
                )
                for name in messages.TypeCensus._fields
                if name.startswith(("type_", "site_"))
            },
        }
    )
)


@given(CENSUSES)
def test_censuses_agree(values: dict[str, Any]) -> None:
    census = wire_pb2.TypeCensus(**values)
    content = wire_pb2.FromEngine(census=census).SerializeToString()
    assert reader.decode(content) == messages.TypeCensus(**values)


@given(st.integers(-(2**63), 2**63 - 1), U64, TEXT)
def test_single_values_agree(signed: int, unsigned: int, text: str) -> None:
    status = wire_pb2.Status(time_mono_ns=signed, n_lost=unsigned, clock=text)
    content = wire_pb2.FromEngine(status=status).SerializeToString()
    assert reader.decode(content) == messages.Status(signed, n_lost=unsigned, clock=text)


SMALL = st.integers(0, 6)
FITTING_BATCHES = st.integers(0, 4).flatmap(
    lambda n: st.builds(
        messages.Batch,
        **{
            "strings": st.lists(TEXT, max_size=5).map(lambda texts: ["", *texts]),
            **{
                name: st.lists(SMALL, min_size=n, max_size=n) for name in messages.Batch._fields[1:]
            },
            "sample_count": st.lists(U32, min_size=n, max_size=n),
            "sample_cpu_ns": st.lists(U64, min_size=n, max_size=n),
        },
    )
)
I64 = st.integers(-(2**63), 2**63 - 1)
FITTING_HEAPS = st.integers(0, 4).flatmap(
    lambda n: st.builds(
        messages.Heap,
        **{
            name: st.lists(
                U64 if name.startswith("value_") and name != "value_bucket" else SMALL,
                min_size=n,
                max_size=n,
            )
            for name in messages.Heap._fields
        },
    )
)
FITTING_CONTENTIONS = st.integers(0, 4).flatmap(
    lambda n: st.builds(
        messages.Contention,
        **{
            name: st.lists(
                U64 if name in ("value_count", "value_total_ns") else SMALL, min_size=n, max_size=n
            )
            for name in messages.Contention._fields
        },
    )
)
HEAP_STATUSES = st.builds(messages.HeapStatus, time_mono_ns=st.integers(-1, 2**63 - 1), rate=U64)
STATUSES = st.builds(messages.Status, time_mono_ns=I64, cpu_hz=U32, n_lost=U64, process_cpu_ns=U64)
READIES = st.builds(messages.Ready, executable=TEXT, time_unix_ns=I64, time_mono_ns=I64)


@pytest.mark.checklist(26, 97)
@given(
    st.lists(
        st.one_of(
            FITTING_BATCHES, STATUSES, READIES, FITTING_HEAPS, HEAP_STATUSES, FITTING_CONTENTIONS
        ),
        max_size=5,
    ),
    st.integers(0, 2**62),
)
def test_whatever_an_engine_says_is_an_error_or_a_profile(
    said: list[messages.Message], connected_mono_ns: int
) -> None:
    """Checklist 26, 97: a recording that took it in makes a file that protobuf reads."""
    recording = Recording(100, connected_mono_ns)
    for message in said:
        try:
            recording.add(message)
        except WireError:
            break
    heaps = [recording.build_heap(HeapKind.HEAP, view) for view in HeapView]
    contentions = [recording.build_contention(kind) for kind in contention_profile.MARKS]
    for tables in (recording.build(), *heaps, *contentions):
        profile = profile_pb2.Profile.FromString(pprof.encode(tables))
        known = {location.id for location in profile.location}
        for sample in profile.sample:
            assert set(sample.location_id) <= known
            assert len(sample.value) == len(profile.sample_type)
            assert min(sample.value) >= 0
    assert heap_text.encode(heaps[0], recording.heap, HeapView.LIVE).startswith(b"heap profile: ")


def parse_request(frame: bytes) -> Message:
    (content,) = FrameReader().feed(frame)
    return wire_pb2.ToEngine.FromString(content)


def test_what_a_client_says_protobuf_reads() -> None:
    greeting = wire_pb2.Greeting(protocol=tags.PROTOCOL_VERSION, client_version="0.1.0")
    assert parse_request(requests.encode_greeting()) == wire_pb2.ToEngine(greeting=greeting)
    for cpu_hz in (0, 1, 10_000):
        asked = wire_pb2.ToEngine(set_rates=wire_pb2.Rates(cpu_hz=cpu_hz))
        assert parse_request(requests.encode_set_cpu_rate(cpu_hz)) == asked
    snapshot = wire_pb2.ToEngine(snapshot_threads=wire_pb2.SnapshotThreads())
    assert parse_request(requests.encode_snapshot_threads()) == snapshot
    heap_rate = wire_pb2.ToEngine(set_heap_rate=wire_pb2.SetHeapRate(rate=2**19))
    assert parse_request(requests.encode_set_heap_rate(2**19)) == heap_rate
    heap_rate.set_heap_rate.without_native = 1
    assert parse_request(requests.encode_set_heap_rate(2**19, has_native=False)) == heap_rate
    rates = wire_pb2.SetContentionRates(block_rate_ns=10_000, mutex_fraction=10, kept=4)
    asked = wire_pb2.ToEngine(set_contention_rates=rates)
    assert parse_request(requests.encode_set_contention_rates(10_000, 10)) == asked
    rates = wire_pb2.SetContentionRates(kept=7, has_other=1, stall_ns=50_000_000, changed=3)
    asked = wire_pb2.ToEngine(set_contention_rates=rates)
    encoded = requests.encode_set_contention_rates(has_other=True, stall_ns=50_000_000)
    assert parse_request(encoded) == asked
    waits = wire_pb2.ToEngine(take_lock_waits=wire_pb2.TakeLockWaits())
    assert parse_request(requests.encode_take_lock_waits()) == waits
    collect = wire_pb2.ToEngine(collect=wire_pb2.Collect())
    assert parse_request(requests.encode_collect()) == collect
    detach = wire_pb2.ToEngine(detach=wire_pb2.Detach())
    assert parse_request(requests.encode_detach()) == detach


@pytest.mark.checklist(97, 98)
def test_a_profile_is_what_the_schema_says() -> None:
    """Checklist 97, 98."""
    session = WireSession()
    recording = Recording(cpu_hz=100)
    for content in (
        session.ready(10**9),
        session.batch([TextSample("main;f", 3, 30, tid=11), TextSample("", 1, 5)], {11: "T"}),
        session.status(2 * 10**9, n_lost=2),
    ):
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    profile = profile_pb2.Profile.FromString(pprof.encode(recording.build()))
    texts = profile.string_table
    assert texts[0] == ""
    assert [(texts[t.type], texts[t.unit]) for t in profile.sample_type] == [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
    ]
    assert texts[profile.default_sample_type] == "cpu"
    assert (texts[profile.period_type.type], profile.period) == ("cpu", 10**7)
    assert (profile.time_nanos, profile.duration_nanos) == (1_700_000_000 * 10**9, 10**9)
    for table in (profile.mapping, profile.location, profile.function):
        assert [row.id for row in table] == list(range(1, len(table) + 1))
    assert [mapping.has_functions for mapping in profile.mapping] == [True]
    assert {location.mapping_id for location in profile.location} == {0}
    assert [tuple(sample.value) for sample in profile.sample] == [(3, 30), (1, 5), (2, 0)]
    names = [texts[function.name] for function in profile.function]
    stacks = [
        [names[profile.location[i - 1].line[0].function_id - 1] for i in sample.location_id]
        for sample in profile.sample
    ]
    assert stacks == [["f", "main"], [], ["<lost samples>"]]
    labels = [{texts[label.key]: texts[label.str] for label in s.label} for s in profile.sample]
    assert labels == [{"thread": "T", "thread_id": "11"}, {"thread_id": "1"}, {}]
