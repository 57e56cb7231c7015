"""What a session's messages add up to."""

from __future__ import annotations

import gc
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.wire_session import TextSample, WireSession, message, packed
from stackglass.errors import WireError
from stackglass.native import _core
from stackglass.symbols.native_code import NativeName
from stackglass.symbols.open_file import OpenFile
from stackglass.wire import pprof, reader, tags
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.lost_samples import LOST_SAMPLES
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.recording import Recording

if TYPE_CHECKING:
    from stackglass.wire.definitions import NameNative

START_NS = 10**9
MS = 10**6


def record(
    *contents: bytes, connected_mono_ns: int = 0, name_native: NameNative | None = None
) -> Recording:
    recording = Recording(100, connected_mono_ns, name_native=name_native)
    for content in contents:
        found = reader.decode(content)
        assert found is not None
        recording.add(found)
    return recording


def list_rows(tables: ProfileTables) -> list[tuple[str, dict[str, str | int], int, int]]:
    """Stack in text, labels and values of every row."""
    parents, locations = list(iterate(tables.node_parent)), list(iterate(tables.node_location))
    functions, names = list(tables.location_function), list(tables.function_name)

    def spell(node: int) -> str:
        if node == 0:
            return ""
        name = tables.strings[names[functions[locations[node]]]]
        return ";".join(filter(None, (spell(parents[node]), name)))

    counts, cpu_ns = map(iterate, tables.sample_values)
    return [
        (spell(node), dict(tables.label_sets[labels]), count, ns)
        for node, labels, count, ns in zip(
            iterate(tables.sample_node), iterate(tables.sample_labels), counts, cpu_ns, strict=True
        )
    ]


def iterate(column: object) -> Iterable[int]:
    assert isinstance(column, Iterable)
    return column


@pytest.mark.checklist(22)
def test_equal_stacks_of_a_thread_are_one_row() -> None:
    """Checklist 22."""
    session = WireSession()
    recording = record(
        session.ready(),
        session.batch([TextSample("main;f", 10, 100 * MS), TextSample("main;g")]),
        session.batch([TextSample("main;f", 10, 100 * MS)]),
    )
    assert list_rows(recording.build()) == [
        ("main;f", {"thread_id": "1"}, 20, 200 * MS),
        ("main;g", {"thread_id": "1"}, 1, 10 * MS),
    ]
    assert recording.cpu.n_samples == 21


@pytest.mark.checklist(23)
def test_threads_distinguish_equal_stacks() -> None:
    """Checklist 23."""
    session = WireSession()
    recording = record(
        session.batch([TextSample("f", tid=1), TextSample("f", tid=2)], {1: "Main", 2: "x"}),
        session.batch([], {2: "worker"}),  # a name that became known later
    )
    assert [labels for _, labels, _, _ in list_rows(recording.build())] == [
        {"thread": "Main", "thread_id": "1"},
        {"thread": "worker", "thread_id": "2"},
    ]


@pytest.mark.checklist(20)
def test_the_empty_stack_is_accepted() -> None:
    """Checklist 20."""
    session = WireSession()
    assert list_rows(record(session.batch([TextSample("")])).build())[0][0] == ""


@pytest.mark.checklist(24, 25)
def test_lost_samples_are_a_row() -> None:
    """Checklist 24 and 25: 100 stored + 4242 lost = all that were taken."""
    session = WireSession()
    recording = record(
        session.ready(START_NS),
        session.batch([TextSample("f", 100, 1000 * MS)]),
        session.status(START_NS + 500 * MS, 100, 4242, process_cpu_ns=1500 * MS),
    )
    assert recording.cpu.n_lost == 4242
    assert list_rows(recording.build()) == [
        ("f", {"thread_id": "1"}, 100, 1000 * MS),
        (LOST_SAMPLES, {}, 4242, 500 * MS),  # no more than the process used
    ]
    assert list_rows(recording.build())[1:] == list_rows(recording.build())[1:], "builds are alike"
    assert recording.cpu.n_samples == 100


def test_a_row_of_lost_samples_leaves_the_files_of_names_open(tmp_path: Path) -> None:
    """A copy of the recording would close them, and with them files that were opened since."""
    (tmp_path / "file").write_bytes(b"content")
    file = OpenFile(str(tmp_path / "file"))

    class Names:
        def __init__(self, read: Callable[[int, int], bytes]) -> None:
            self.read = read

        def name(self, path: str, identity: str, start: int) -> NativeName:
            return NativeName(self.read(0, 7).decode(), "")

    session = WireSession()
    recording = record(
        session.ready(START_NS),
        session.status(START_NS + MS, 0, 3),
        name_native=Names(file.read).name,
    )
    assert list_rows(recording.build()) == [(LOST_SAMPLES, {}, 3, 0)]
    gc.collect()
    assert file.read(0, 7) == b"content"


def test_only_lost_samples_make_a_profile() -> None:
    session = WireSession()
    recording = record(session.ready(START_NS), session.status(START_NS + MS, 0, 3))
    assert list_rows(recording.build()) == [(LOST_SAMPLES, {}, 3, 0)]


@pytest.mark.checklist(25)
def test_what_the_engine_filed_as_lost_is_not_added_again() -> None:
    """Checklist 25."""
    session = WireSession()
    recording = record(
        session.batch([TextSample("f", 5), TextSample(LOST_SAMPLES, 3, 30 * MS)]),
        session.status(START_NS, 5, 4, process_cpu_ns=80 * MS),
    )
    rows = list_rows(recording.build())
    assert sum(count for stack, _, count, _ in rows if stack == LOST_SAMPLES) == 4
    assert (recording.cpu.n_samples, recording.cpu.n_lost) == (5, 4)


def test_a_session_that_was_going_on_counts_from_its_first_status() -> None:
    session = WireSession()
    later_ns = START_NS + 60_000 * MS
    recording = record(
        session.ready(START_NS, unix_ns=5 * 10**9),
        session.status(later_ns + MS, 1000, 50, process_cpu_ns=9000 * MS),
        session.batch([TextSample("f", 2, 20 * MS)]),
        session.status(later_ns + 101 * MS, 1002, 51, process_cpu_ns=9020 * MS),
        connected_mono_ns=later_ns,
    )
    tables = recording.build()
    assert recording.cpu.n_lost == 1
    assert recording.cpu.used_ns == 20 * MS
    assert tables.duration_ns == 101 * MS
    assert tables.time_unix_ns == 65 * 10**9


@pytest.mark.checklist(21)
def test_an_idle_session_is_a_valid_profile() -> None:
    """Checklist 21."""
    session = WireSession()
    tables = record(session.ready(START_NS), session.status(START_NS + 2000 * MS)).build()
    assert list_rows(tables) == []
    assert [tuple(kind) for kind in tables.sample_types] == [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
    ]
    assert (tables.period, tables.duration_ns) == (10 * MS, 2000 * MS)


def test_the_period_is_that_of_the_rate_in_force() -> None:
    session = WireSession()
    tables = record(session.status(START_NS, cpu_hz=1000), session.status(START_NS, cpu_hz=0))
    assert tables.build().period == MS


@pytest.mark.checklist(26)
@pytest.mark.parametrize(
    ("number", "others"),
    [
        pytest.param(tags.Batch.FUNCTION_NAME, (3, 4, 5), id="string"),
        pytest.param(tags.Batch.LOCATION_FUNCTION, (7,), id="function"),
        pytest.param(tags.Batch.SAMPLE_NODE, range(21, 26), id="stack"),
        pytest.param(tags.Batch.THREAD_NAME, (10,), id="name of a thread"),
    ],
)
def test_a_reference_to_nothing_is_an_error(number: int, others: Iterable[int]) -> None:
    """Checklist 26."""
    content = packed(number, [99]) + b"".join(packed(other, [0]) for other in others)
    with pytest.raises(WireError, match="99"):
        record(message(tags.FromEngine.BATCH, content))


@pytest.mark.checklist(26)
def test_a_stack_below_itself_is_an_error() -> None:
    """Checklist 26: it would be walked for ever."""
    session = WireSession()
    loop = packed(tags.Batch.NODE_PARENT, [3]) + packed(tags.Batch.NODE_LOCATION, [0])
    with pytest.raises(WireError, match="undefined"):
        record(session.batch([TextSample("a;b")]), message(tags.FromEngine.BATCH, loop))


def share_error(points: int, cause: str, hz: int = 100) -> bytes:
    """A status of a CPU profile with shares that may be so far off."""
    field = tags.Status
    return message(
        tags.FromEngine.STATUS,
        _core.encode_int(field.CPU_HZ, hz)
        + _core.encode_int(field.SHARE_ERROR_POINTS, points)
        + _core.encode_bytes(field.SHARE_ERROR_CAUSE, cause.encode()),
    )


def test_the_largest_error_of_shares_is_written_into_the_cpu_profile() -> None:
    session = WireSession()
    exact = record(session.ready(), share_error(0, ""))
    assert (exact.cpu.warnings, list(exact.build().comments)) == ((), [])
    recording = record(
        session.ready(), share_error(9, "no timers"), share_error(0, ""), share_error(0, "", hz=0)
    )
    (warning,) = recording.cpu.warnings
    assert warning == (
        "CPU shares may be 9 percentage points off while other processes keep all processors busy "
        "(no timers)"
    )
    assert list(recording.build().comments) == [warning]
    text = gzip.decompress(pprof.pack(pprof.encode(recording.build())))
    assert warning.encode() in text
    contention = recording.build_contention(ContentionKind.BLOCK)
    assert warning not in contention.comments


def unknown_labels(n_samples: int) -> bytes:
    """A status that counts so many samples whose labels could not be read."""
    return message(
        tags.FromEngine.STATUS,
        _core.encode_int(tags.Status.CPU_HZ, 100)
        + _core.encode_int(tags.Status.N_UNKNOWN_LABELS, n_samples),
    )


def test_samples_whose_labels_could_not_be_read_are_counted_in_the_file() -> None:
    session = WireSession()
    assert list(record(session.ready(), unknown_labels(0)).build().comments) == []
    recording = record(session.ready(), unknown_labels(1), unknown_labels(12))
    assert list(recording.build().comments) == [
        "12 samples have no labels, because these could not be read for certain"
    ]
    assert recording.cpu.warnings == (), "it is no problem of the profile"


def unsampled(n_threads: int, hz: int = 100) -> bytes:
    """A status of a CPU profile that had no room for so many threads."""
    return message(
        tags.FromEngine.STATUS,
        _core.encode_int(tags.Status.CPU_HZ, hz)
        + _core.encode_int(tags.Status.N_UNSAMPLED_THREADS, n_threads),
    )


def test_threads_that_were_not_sampled_are_written_into_the_cpu_profile() -> None:
    session = WireSession()
    assert record(session.ready(), unsampled(0), unsampled(3, hz=0)).cpu.warnings == ()
    some = record(session.ready(), unsampled(2), unsampled(12), unsampled(0))
    assert list(some.build().comments) == [
        "12 threads were not sampled, because there was no room for more: their CPU time is "
        "counted for the other threads"
    ]
    assert record(session.ready(), unsampled(1)).cpu.warnings[0].startswith("1 thread was not ")
