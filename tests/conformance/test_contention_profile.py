"""The contention profiles' files, by the numbers of the checklist. What is counted is tested beside
the engine, and in real processes by tests/integration/test_contention_session.py."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.contention_session import TextContention, make_contention, record_contention
from harness.go_tool import run_pprof
from harness.pprof_tables import read_go_top
from harness.saved_profile import SavedProfile
from stackglass.errors import WireError
from stackglass.wire import contention_text, messages, pprof
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_recording import ContentionRecording
from stackglass.wire.definitions import Definitions
from stackglass.wire.recording import Recording

BLOCK, MUTEX, PAIR, GIL = (
    ContentionKind.BLOCK,
    ContentionKind.MUTEX,
    ContentionKind.PAIR,
    ContentionKind.GIL,
)
BUCKETS = [
    TextContention(BLOCK, "main;g;Lock.acquire", 1, 7),
    TextContention(BLOCK, "main;f;Lock.acquire", 2, 3_000, lock=1),
    TextContention(BLOCK, "main;f;Lock.acquire", 3, 4_000, lock=2),
    TextContention(MUTEX, "main;f;Lock.release", 5, 5_000_000_000, lock=1),
    TextContention(PAIR, "main;f;Lock.release", 25, 5_000_000_000, lock=1),
    TextContention(GIL, "main;h", 9, 90),
]


def pack(recording: Recording, kind: ContentionKind) -> bytes:
    return gzip.compress(pprof.encode(recording.build_contention(kind)))


def save(kind: ContentionKind) -> SavedProfile:
    return SavedProfile(pack(record_contention(BUCKETS), kind))


def write_text(kind: ContentionKind, fraction: int = 1) -> str:
    recording = record_contention(BUCKETS, fraction)
    tables = recording.build_contention(kind)
    return contention_text.encode(tables, recording.contention, kind).decode()


@pytest.mark.checklist(68, 97)
@pytest.mark.parametrize("kind", [BLOCK, MUTEX, GIL])
def test_68_97_what_go_writes(kind: ContentionKind) -> None:
    """Checklist 68, 97: types and period as Go has them, no labels, no two equal stacks. The type
    of the period is the kind's own, so that no tool merges two kinds."""
    profile = save(kind)
    assert profile.sample_types == ["contentions/count", "delay/nanoseconds"]
    assert profile.default_type == "delay"
    texts = profile.message.string_table
    period_type = profile.message.period_type
    assert (texts[period_type.type], texts[period_type.unit]) == (kind.name.lower(), "count")
    assert (profile.message.period, profile.message.duration_nanos) == (1, 10**9)
    assert not any(row.labels or row.numbers for row in profile.rows)
    stacks = [tuple(row.stack) for row in profile.rows]
    assert len(set(stacks)) == len(stacks)


@pytest.mark.checklist(68)
def test_68_locks_add_up_and_kinds_do_not() -> None:
    """Checklist 68: pairs are waiters and holders once more, and no profile of their own."""
    rows = {";".join(row.stack): row.values for row in save(BLOCK).rows}
    assert rows == {"main;g;Lock.acquire": [1, 7], "main;f;Lock.acquire": [5, 7_000]}
    assert [row.values for row in save(MUTEX).rows] == [[5, 5_000_000_000]]
    assert [row.values for row in save(GIL).rows] == [[9, 90]]


@pytest.mark.checklist(60)
def test_60_the_text_of_block() -> None:
    """Checklist 60: longest first, every frame, and no empty one."""
    lines = write_text(BLOCK).split("\n")
    assert lines[:2] == ["--- contention:", "cycles/second=1000000000"]
    assert [line.split(" @ ")[0] for line in lines if " @ " in line] == ["7000 5", "7 1"]
    first = lines.index(next(line for line in lines if " @ " in line))
    names = [line.split("\t")[2] for line in lines[first + 1 : first + 4]]
    assert names == ["Lock.acquire+0x0", "f+0x0", "main+0x0"]
    assert len(lines[first].split(" @ ")[1].split()) == 3
    assert "0x0 " not in lines[first]


@pytest.mark.checklist(76)
def test_76_scaled_values_are_not_scaled_again(tmp_path: Path) -> None:
    """Checklist 76, trap 3: whatever the fraction is, the text says 1, and pprof takes it so."""
    path = tmp_path / "mutex.txt"
    text = write_text(MUTEX, fraction=10)
    assert text == write_text(MUTEX, fraction=1)
    assert text.startswith("--- mutex:\ncycles/second=1000000000\nsampling period=1\n")
    path.write_text(text)
    assert "5s total" in run_pprof("-top", "-unit=s", path)


@pytest.mark.checklist(97)
def test_pprof_reads_what_is_recorded(tmp_path: Path) -> None:
    """Checklist 97: as protobuf with names, as text at least the sums."""
    recording = record_contention(BUCKETS)
    for kind, total_ns in ((BLOCK, 7_007), (GIL, 90)):
        path = tmp_path / f"{kind.name}.pb.gz"
        path.write_bytes(pack(recording, kind))
        flat = {name: flat for name, (flat, _) in read_go_top(path, 1, "nanoseconds").items()}
        assert sum(flat.values()) == total_ns
        assert "main" in flat
        text = tmp_path / f"{kind.name}.txt"
        text.write_text(write_text(kind))
        assert f"{total_ns}ns total" in run_pprof("-top", "-unit=ns", text)


@pytest.mark.checklist(21)
def test_a_session_without_contention_makes_a_valid_profile() -> None:
    """Checklist 21."""
    profile = SavedProfile(pack(record_contention([]), BLOCK))
    assert profile.rows == []
    assert len(profile.sample_types) == 2


@pytest.mark.parametrize(
    "broken",
    [
        {"bucket_node": [9]},
        {"bucket_other_node": [9]},
        {"bucket_lock": [3]},
        {"bucket_primitive": [9]},
        {"value_bucket": [1]},
        {"value_count": [2**63]},
        {"named_lock": [3], "named_name": [0], "named_site": [0]},
        {"delay_bucket": [0], "delay_log2": [64], "delay_count": [1]},
    ],
    ids=lambda broken: next(iter(broken)),
)
def test_what_refers_to_nothing_is_an_error(broken: dict[str, list[int]]) -> None:
    whole = make_contention([TextContention(BLOCK, "main", 1, 1)], {"main": 1})
    ContentionRecording(Definitions()).add(whole, n_strings=1, n_nodes=2)
    with pytest.raises(WireError):
        ContentionRecording(Definitions()).add(whole._replace(**broken), n_strings=1, n_nodes=2)


def test_the_latest_report_holds() -> None:
    contention = ContentionRecording(Definitions())
    reported = make_contention([TextContention(BLOCK, "main", 1, 10)], {"main": 1})
    contention.add(reported, n_strings=1, n_nodes=2)
    contention.add(
        messages.Contention(
            value_bucket=[0], value_count=[3], value_total_ns=[40], value_max_ns=[20]
        ),
        n_strings=1,
        n_nodes=2,
    )
    assert [row[:3] for row in contention.list_rows(BLOCK)] == [(1, 3, 40)]
