"""Contention that the window saves is what the recorder saves."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.contention_session import TextContention, make_contention
from harness.go_tool import run_pprof
from harness.wire_session import WireSession
from stackglass.wire import pprof, reader
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.recording import Recording
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto import profile_pb2, wire_pb2
from stackglass_viewer.presenter.saving.contention_file import to_contention_profile
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice

NAMED = (ContentionKind.OTHER, ContentionKind.TASK, ContentionKind.STALL, ContentionKind.IDLE)
BUCKETS = [
    TextContention(ContentionKind.BLOCK, "main;f;Lock.acquire", 2, 3_000, lock=1),
    TextContention(ContentionKind.BLOCK, "main;f;Lock.acquire", 3, 4_000, lock=2),
    TextContention(ContentionKind.BLOCK, "main;Lock.acquire", 1, 7),
    TextContention(ContentionKind.MUTEX, "main;f;Lock.release", 5, 2**40, lock=1),
    TextContention(ContentionKind.PAIR, "main;f;Lock.release", 9, 2**40, lock=1),
    TextContention(ContentionKind.GIL, "main", 3, 5),
    *(
        TextContention(kind, f"main;{call}", n, 7 * n, primitive=string)
        for n, kind in enumerate(NAMED, 1)
        for string, call in enumerate(("f", "f", "g"), 1)
    ),
    *(
        TextContention(kind, "main;f;Lock.acquire", n, 11 * n, lock, 1 * (kind in NAMED), n)
        for kind in (ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL, *NAMED)
        for n in (1, 2)
        for lock in (1, 2)
    ),
]


def messages() -> list[bytes]:
    """What an engine would say of these buckets."""
    wire = WireSession()
    wire.define_labels(("route", "/a"), ("route", "/b"))
    stacks, nodes = wire.stacks(bucket.stack for bucket in BUCKETS)
    reported = [wire.ready(), stacks]
    contention = wire_pb2.Contention(**make_contention(BUCKETS, nodes)._asdict())
    status = wire_pb2.ContentionStatus(time_mono_ns=3 * 10**9, mutex_fraction=10)
    reported.append(wire_pb2.FromEngine(contention=contention).SerializeToString())
    reported.append(wire_pb2.FromEngine(contention_status=status).SerializeToString())
    return reported


Line = tuple[str, int]
Row = tuple[tuple[Line, ...], tuple[tuple[str, str], ...], tuple[int, ...]]


def list_rows(profile: profile_pb2.Profile) -> list[Row]:
    """Of each sample its stack, its labels, its values."""
    texts = profile.string_table
    names = {each.id: texts[each.name] for each in profile.function}
    lines = {
        each.id: (names[each.line[0].function_id], each.line[0].line) for each in profile.location
    }
    return sorted(
        (
            tuple(lines[location] for location in sample.location_id),
            tuple((texts[label.key], texts[label.str]) for label in sample.label),
            tuple(sample.value),
        )
        for sample in profile.sample
    )


def list_marks(profile: profile_pb2.Profile) -> list[str]:
    """What distinguishes files that count the same."""
    texts = profile.string_table
    period_type = profile.period_type
    comments = [texts[comment] for comment in profile.comment]
    return [texts[period_type.type], texts[period_type.unit], texts[profile.doc_url], *comments]


def test_go_merges_no_two_kinds(tmp_path: Path) -> None:
    """``go tool pprof`` refuses files that count the same of different things."""
    recording = Recording(cpu_hz=0)
    for content in messages():
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    paths = {}
    for kind in (ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL):
        path = paths[kind] = tmp_path / f"{kind.name}.pb.gz"
        path.write_bytes(pprof.pack(pprof.encode(recording.build_contention(kind))))
    block, mutex, gil = paths.values()
    assert "block: waits for locks" in run_pprof("-top", block, block)
    for other in (mutex, gil):
        with pytest.raises(AssertionError, match="period type: incompatible types"):
            run_pprof("-top", block, other)


@pytest.mark.checklist(68, 97)
@pytest.mark.parametrize(
    "kind", [ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL, *NAMED]
)
def test_the_same_file(kind: ContentionKind) -> None:
    """Checklist 68, 97."""
    live, recording = LiveProfile(connected_mono_ns=0), Recording(cpu_hz=0)
    for content in messages():
        live.apply(wire_pb2.FromEngine.FromString(content))
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    theirs = profile_pb2.Profile.FromString(pprof.encode(recording.build_contention(kind)))
    moment = live.capture_contention()
    shown = ContentionChoice(kind)
    tables = to_contention_profile(
        moment, shown, live.to_unix_ns(moment.begin_mono_ns), live.facts.executable
    )
    own = profile_pb2.Profile.FromString(pprof.encode(tables))
    assert list_rows(own) == list_rows(theirs)
    labels = {key for _, row_labels, _ in list_rows(own) for key, _ in row_labels}
    assert labels == ({"route", "wait"} if kind in NAMED else {"route"})
    assert list_marks(own) == list_marks(theirs)
    for name in ("period", "time_nanos", "duration_nanos"):
        assert getattr(own, name) == getattr(theirs, name), name
    for profile in (own, theirs):
        texts = profile.string_table
        assert texts[profile.default_sample_type] == "delay"
        assert [texts[each.type] for each in profile.sample_type] == ["contentions", "delay"]
        assert texts[profile.mapping[0].filename] == "/usr/bin/python3.13"
