"""Starting and stopping a profile of one's own."""

from __future__ import annotations

import gzip
import io
import threading
from pathlib import Path

import pytest

from harness.saved_profile import SavedProfile
from harness.wire_session import TextSample, WireSession
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.errors import EngineError, OutputError
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.recording import Recording


class FakeEngine:
    """Hands out one prepared session and notes what it was asked."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content
        self.asked: list[object] = []
        self.refusal = ""

    def self_profile_start(self, hz: int, clock: str, wall_hz: int, /) -> None:
        if self.refusal:
            raise RuntimeError(self.refusal)
        self.asked.append((hz, clock, wall_hz) if wall_hz else (hz, clock))

    def self_profile_take(self) -> bytes:
        self.asked.append("take")
        return self.content

    def self_profile_stop(self) -> bytes:
        self.asked.append("stop")
        return self.content


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def profiler(engine: FakeEngine) -> CpuProfiler:
    return CpuProfiler(engine)


@pytest.mark.checklist(7)
@pytest.mark.parametrize(("asked", "given"), [(-5, 0), (0, 0), (100, 100), (2_000_000, 10_000)])
def test_7_rates_below_zero_are_off_and_rates_above_the_limit_are_the_limit(
    profiler: CpuProfiler, engine: FakeEngine, asked: int, given: int
) -> None:
    profiler.start(io.BytesIO(), hz=asked)
    profiler.stop()
    assert engine.asked == [(given, "auto"), "stop"]


def test_a_rate_that_is_no_whole_number_starts_nothing(
    profiler: CpuProfiler, engine: FakeEngine
) -> None:
    for attempt in (profiler.start, profiler.start_wall):
        with pytest.raises(TypeError):
            attempt(io.BytesIO(), 99.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        profiler.set_rate(99.5)  # type: ignore[arg-type]
    assert not profiler.is_running
    assert profiler.read_rate() == 100
    assert engine.asked == []


@pytest.mark.parametrize(("asked", "given"), [(-5, 1), (200, 200), (100_000, 1000)])
def test_a_wall_profile_samples_running_threads_at_the_cpu_rate(
    profiler: CpuProfiler, engine: FakeEngine, asked: int, given: int
) -> None:
    profiler.set_rate(300)
    profiler.start_wall(io.BytesIO(), asked)
    profiler.stop()
    assert engine.asked == [(300, "auto", given), "stop"]


def test_a_second_start_is_refused_and_leaves_the_first_alone(
    profiler: CpuProfiler, engine: FakeEngine
) -> None:
    first = io.BytesIO()
    profiler.start(first)
    with pytest.raises(EngineError, match="already in use"):
        profiler.start(io.BytesIO())
    profiler.stop()
    assert engine.asked == [(100, "auto"), "stop"]
    assert first.getvalue()


@pytest.mark.checklist(9)
def test_9_stop_when_off_does_nothing(profiler: CpuProfiler, engine: FakeEngine) -> None:
    profiler.stop()
    assert engine.asked == []


@pytest.mark.checklist(10)
def test_10_the_rate_cannot_change_while_on(profiler: CpuProfiler, engine: FakeEngine) -> None:
    profiler.set_rate(250)
    profiler.start(io.BytesIO())
    with pytest.raises(EngineError, match="cannot be changed"):
        profiler.set_rate(100)
    profiler.stop()
    profiler.set_rate(50)
    profiler.start(io.BytesIO())
    profiler.stop()
    assert engine.asked == [(250, "auto"), "stop", (50, "auto"), "stop"]


@pytest.mark.checklist(11)
def test_11_all_is_written_when_stop_returns_and_nothing_after(
    profiler: CpuProfiler, tmp_path: Path
) -> None:
    path = tmp_path / "cpu.pb.gz"
    profiler.start(str(path))
    assert not path.exists()
    profiler.stop()
    written = path.read_bytes()
    profiler.stop()
    assert path.read_bytes() == written


@pytest.mark.checklist(21)
def test_21_a_profile_without_samples_is_a_profile(profiler: CpuProfiler) -> None:
    output = io.BytesIO()
    profiler.start(output)
    profiler.stop()
    content = gzip.decompress(output.getvalue())
    for text in (b"samples", b"count", b"cpu", b"nanoseconds"):
        assert text in content


@pytest.mark.parametrize(("hz", "is_off"), [(0, True), (-5, True), (100, False)])
def test_a_profile_at_the_rate_0_says_why_it_has_no_samples(hz: int, is_off: bool) -> None:
    profiler = CpuProfiler(FakeEngine())
    output = io.BytesIO()
    profiler.start(output, hz=hz)
    so_far = profiler.build_so_far(is_wall=False)
    assert so_far is not None
    profiler.stop()
    wanted = ("no samples: the rate of this CPU profile is 0 Hz, which is off",) if is_off else ()
    assert tuple(so_far.comments) == wanted
    assert tuple(SavedProfile(output.getvalue()).comments) == wanted


def test_a_wall_profile_says_nothing_of_the_rate_of_cpu_profiles() -> None:
    profiler = CpuProfiler(FakeEngine())
    profiler.set_rate(0)
    output = io.BytesIO()
    profiler.start_wall(output, 100)
    profiler.stop()
    assert not SavedProfile(output.getvalue()).comments


def test_what_cannot_be_started_says_why_and_can_be_tried_again(
    profiler: CpuProfiler, engine: FakeEngine
) -> None:
    engine.refusal = "a viewer is attached"
    with pytest.raises(EngineError, match="a viewer is attached"):
        profiler.start(io.BytesIO())
    engine.refusal = ""
    profiler.start(io.BytesIO())
    profiler.stop()


def test_a_path_that_cannot_be_written_is_refused_at_once(
    profiler: CpuProfiler, engine: FakeEngine, tmp_path: Path
) -> None:
    with pytest.raises(OutputError):
        profiler.start(str(tmp_path / "nowhere" / "cpu.pb.gz"))
    assert engine.asked == []


class DrippingFile:
    """A raw file that takes ten bytes at a time."""

    def __init__(self) -> None:
        self.content = b""

    def write(self, content: bytes, /) -> int:
        self.content += content[:10]
        return len(content[:10])


def test_a_file_that_takes_little_at_a_time_gets_everything(profiler: CpuProfiler) -> None:
    slow, quick = DrippingFile(), io.BytesIO()
    for file in (slow, quick):
        profiler.start(file)
        profiler.stop()
    assert len(slow.content) > 10
    assert gzip.decompress(slow.content)
    assert len(slow.content) == len(quick.getvalue())


def test_the_old_rate_is_returned(profiler: CpuProfiler) -> None:
    assert profiler.set_rate(250) == 100
    assert profiler.set_rate(100) == 250
    assert profiler.read_rate() == 100


def test_the_programs_file_is_written_without_the_lock(profiler: CpuProfiler) -> None:
    """Its write() may profile, too."""

    class Busy(DrippingFile):
        def write(self, content: bytes, /) -> int:
            profiler.stop()
            return super().write(content)

    file = Busy()
    profiler.start(file)
    profiler.stop()
    assert gzip.decompress(file.content)


class InterruptedEngine(FakeEngine):
    """Ctrl+C, or a signal handler that ends the profile, as a call of the engine returns."""

    is_interrupted = False
    profiler: CpuProfiler | None = None

    def self_profile_start(self, hz: int, clock: str, wall_hz: int, /) -> None:
        super().self_profile_start(hz, clock, wall_hz)
        if self.is_interrupted:
            raise KeyboardInterrupt

    def self_profile_stop(self) -> bytes:
        content = super().self_profile_stop()
        profiler, self.profiler = self.profiler, None
        if profiler is not None:
            profiler.stop()
        return content


def test_what_was_interrupted_as_it_began_can_be_ended() -> None:
    engine = InterruptedEngine()
    profiler = CpuProfiler(engine)
    output = io.BytesIO()
    engine.is_interrupted = True
    with pytest.raises(KeyboardInterrupt):
        profiler.start(output)
    assert profiler.is_running
    profiler.stop()
    assert output.getvalue()
    engine.is_interrupted = False
    profiler.start(io.BytesIO())
    profiler.stop()


def test_a_signal_handler_that_stops_does_not_wait_for_its_own_thread() -> None:
    engine = InterruptedEngine()
    engine.profiler = CpuProfiler(engine)
    output = io.BytesIO()
    engine.profiler.start(output)
    stopping = threading.Thread(target=engine.profiler.stop, daemon=True)
    stopping.start()
    stopping.join(20.0)
    assert not stopping.is_alive()
    assert output.getvalue()


def frame(*messages: bytes) -> bytes:
    assert all(len(message) < 1 << 14 for message in messages)
    sizes = (bytes((len(message) & 127 | 128, len(message) >> 7)) for message in messages)
    return b"".join(size + message for size, message in zip(sizes, messages, strict=True))


class PartsEngine(FakeEngine):
    """Hands out the messages of a session a part at a time: a sample in ``f``, then one more in
    ``f`` and one in ``g``."""

    def __init__(self) -> None:
        session = WireSession()
        self._parts = [
            frame(session.hello(), session.ready(), session.batch([TextSample("main;f")])),
            frame(session.batch([TextSample("main;f"), TextSample("main;g")])),
        ]
        super().__init__()

    def self_profile_take(self) -> bytes:
        super().self_profile_take()
        return self._parts.pop(0)

    def self_profile_stop(self) -> bytes:
        super().self_profile_stop()
        return b"".join(self._parts)


def list_counts(tables: ProfileTables | None) -> list[int]:
    assert tables is not None
    return list(memoryview(tables.sample_values[0].tobytes()).cast("Q"))


def test_what_there_is_so_far_is_a_profile_and_the_profile_runs_on() -> None:
    engine = PartsEngine()
    profiler = CpuProfiler(engine)
    assert profiler.build_so_far(is_wall=False) is None
    output = io.BytesIO()
    profiler.start(output)
    assert profiler.build_so_far(is_wall=True) is None, "it is no wall profile"
    so_far = profiler.build_so_far(is_wall=False)
    assert list_counts(so_far) == [1]
    profiler.stop()
    assert engine.asked == [(100, "auto"), "take", "stop"]
    assert sorted(row.values[0] for row in SavedProfile(output.getvalue()).rows) == [1, 2]
    assert list_counts(so_far) == [1], "what was returned stays as it is"


def test_a_wall_profile_so_far_has_the_samples_of_running_threads_too() -> None:
    profiler = CpuProfiler(PartsEngine())
    profiler.start_wall(io.BytesIO(), 100)
    assert list_counts(profiler.build_so_far(is_wall=False)) == [1]
    assert profiler.build_so_far(is_wall=True) is not None
    profiler.stop()


def test_a_signal_handler_that_stops_leaves_the_writing_to_what_it_interrupts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The messages are read by then, but not all are added."""
    profiler = CpuProfiler(PartsEngine())
    output = io.BytesIO()
    profiler.start(output)
    add = Recording.add
    refused: list[str] = []

    def add_interrupted(recording: Recording, message: object) -> None:
        monkeypatch.setattr(Recording, "add", add)
        profiler.stop()
        assert not output.getvalue()
        try:
            profiler.build_so_far(is_wall=False)
        except EngineError as error:
            refused.append(str(error))
        add(recording, message)  # type: ignore[arg-type] # a message, as `reader` decodes them

    monkeypatch.setattr(Recording, "add", add_interrupted)
    assert list_counts(profiler.build_so_far(is_wall=False)) == [1]
    assert refused == ["the signal handler has interrupted code that reads the profile"]
    assert not profiler.is_running
    assert sorted(row.values[0] for row in SavedProfile(output.getvalue()).rows) == [1, 2]


def test_what_was_interrupted_as_it_was_read_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = PartsEngine()
    profiler = CpuProfiler(engine)
    profiler.start(io.BytesIO())

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "add", interrupt)
        with pytest.raises(KeyboardInterrupt):
            profiler.build_so_far(is_wall=False)
    assert not profiler.is_running
    assert engine.asked[-1] == "stop"
    profiler.start(io.BytesIO())
    assert profiler.is_running
