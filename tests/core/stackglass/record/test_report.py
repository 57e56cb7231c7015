"""What the end of a recording reports: which profiles there are, and why the others are not."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from harness.fake_clock import FakeClock
from harness.wire_session import TextSample, WireSession
from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import AttachError, OutputError
from stackglass.record import report
from stackglass.record.outputs import CPU, Output
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.record.rate_requests import RateRequest
from stackglass.record.session import RecordingSession
from stackglass.wire import messages, reader
from stackglass.wire.rates import Rates
from stackglass.wire.recording import Recording

START_NS = 100 * 10**9
NOT_BEGUN = "the recording ended before it could begin: the engine did not get the GIL"


class Silence:
    """The connection of a recording that is over."""

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        raise ConnectionLostError("gone")

    def send(self, framed: bytes) -> None:
        raise ConnectionLostError("gone")


def record(folder: Path, *profiles: str) -> tuple[RecordingSession, Plan, Progress]:
    """A recording of these profiles in which only the CPU profile has begun."""
    outputs = (Output(name, str(folder / f"{name}.pb.gz"), is_legacy=False) for name in profiles)
    rates = Rates(cpu_hz=100, heap_rate=4096, block_rate_ns=1, mutex_fraction=1)
    plan = Plan(tuple(outputs), RateRequest(rates))
    recording = Recording(100, START_NS)
    wire = WireSession()
    for frame in (
        wire.hello(),
        wire.ready(START_NS),
        wire.batch([TextSample("main;f")]),
        wire.status(START_NS + 10**9, n_samples=1, process_cpu_ns=10**9),
    ):
        decoded = reader.decode(frame, has_events=False)
        assert decoded is not None
        recording.add(decoded)
    progress = Progress(io.StringIO())
    clock = FakeClock(START_NS)
    return RecordingSession(Silence(), recording, plan, clock, progress), plan, progress


def test_profiles_that_never_began_are_reported_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session, plan, progress = record(tmp_path, CPU, "heap", "mutex")
    assert report.write(session, plan, progress) == report.PARTLY
    said = capsys.readouterr().err
    assert f"stackglass: not recorded: heap and mutex ({NOT_BEGUN})\n" in said
    assert [path.name for path in tmp_path.iterdir()] == ["cpu.pb.gz"]
    assert [output.profile for output in report.list_recorded(plan, session.recording)] == [CPU]


def test_a_profile_that_began_is_written_though_it_is_empty(tmp_path: Path) -> None:
    session, plan, progress = record(tmp_path, CPU, "heap", "mutex")
    at_ns = START_NS + 10**9
    session.recording.add(messages.HeapStatus(time_mono_ns=at_ns, start_mono_ns=START_NS))
    session.recording.add(messages.ContentionStatus(time_mono_ns=at_ns, start_mono_ns=START_NS))
    assert report.write(session, plan, progress) == 0
    assert len(list(tmp_path.iterdir())) == 3


class FullMemory:
    """A memory trace's file on a disk that is full."""

    def flush(self) -> None:
        raise OutputError("cannot write trace.sgm: No space left on device")


def test_a_trace_that_cannot_be_written_is_reported_after_the_others(tmp_path: Path) -> None:
    session, plan, progress = record(tmp_path, CPU)
    session.memory = FullMemory()  # type: ignore[assignment]
    with pytest.raises(OutputError, match="No space left"):
        report.write(session, plan, progress)
    assert [path.name for path in tmp_path.iterdir()] == ["cpu.pb.gz"]


def test_where_none_began_there_is_no_recording(tmp_path: Path) -> None:
    session, plan, progress = record(tmp_path, "heap")
    with pytest.raises(AttachError, match="not recorded: heap"):
        report.write(session, plan, progress)
    assert not list(tmp_path.iterdir())
