"""The loop of a recording, against an engine that says what the test has written down."""

from __future__ import annotations

import io
from collections.abc import Iterable

from harness.fake_clock import FakeClock
from harness.wire_session import TextSample, WireSession, message
from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import OutputError, WireError
from stackglass.native import _core
from stackglass.record.outputs import CPU, MEMORY, Output
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.record.rate_requests import RateRequest
from stackglass.record.session import RecordingSession
from stackglass.wire import requests, tags
from stackglass.wire.rates import Rates
from stackglass.wire.recording import Recording

SECOND_NS = 10**9
START_NS = 100 * SECOND_NS
TURN_NS = SECOND_NS // 10
PLAN = Plan((Output(CPU, "cpu.pb.gz", is_legacy=False),), RateRequest(Rates(cpu_hz=100)))


class Script:
    """An engine's side: sends some messages each turn (a tenth of a second), then it ends."""

    def __init__(self, clock: FakeClock, turns: Iterable[list[bytes]], end: str = "") -> None:
        self._clock = clock
        self._turns = iter(turns)
        self._frames: list[bytes] = []
        self._end = end
        self.sent: list[bytes] = []

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        if not self._frames and timeout_s:
            self._clock.advance(TURN_NS)
            try:
                self._frames = list(next(self._turns))
            except StopIteration:
                if self._end:
                    raise ConnectionLostError(self._end) from None
        return self._frames.pop(0) if self._frames else None

    def send(self, framed: bytes) -> None:
        self.sent.append(framed)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def make_session(
    turns: Iterable[list[bytes]],
    end: str = "",
    stream: io.StringIO | None = None,
    duration_ns: int | None = None,
) -> tuple[RecordingSession, FakeClock]:
    clock = FakeClock(START_NS)
    recording = Recording(100, START_NS)
    progress = Progress(stream or io.StringIO())
    script = Script(clock, turns, end)
    plan = PLAN._replace(duration_ns=duration_ns)
    progress.title = "process 7"
    return RecordingSession(script, recording, plan, clock, progress), clock


def talk(n_turns: int) -> list[list[bytes]]:
    """A healthy engine: Ready, then a sample and a status each turn."""
    wire = WireSession()
    turns = [[wire.hello(), wire.ready(START_NS + TURN_NS)]]
    for turn in range(2, n_turns + 2):
        status = wire.status(START_NS + turn * TURN_NS, turn - 1, process_cpu_ns=turn * TURN_NS)
        turns.append([wire.batch([TextSample("main;f")]), status])
    return turns


def never() -> bool:
    return False


def test_a_duration_counts_from_ready() -> None:
    session, clock = make_session(talk(100), duration_ns=SECOND_NS)
    session.run(never)
    assert session.why_ended == ""
    assert clock.mono_ns() == START_NS + TURN_NS + SECOND_NS
    assert session.recording.cpu.n_samples == 10


def test_an_interrupt_waits_for_what_was_taken_up_to_then() -> None:
    looks = iter([False, False, False, True])
    session, _ = make_session(talk(100))
    session.run(lambda: next(looks))
    assert session.why_ended == ""
    assert session.recording.cpu.n_samples == 2


def test_an_engine_that_says_no_last_word_is_not_waited_for_without_end() -> None:
    session, clock = make_session(talk(3), duration_ns=SECOND_NS // 2)
    session.run(never)
    assert session.recording.cpu.n_samples == 3
    assert clock.mono_ns() < START_NS + 8 * SECOND_NS


def test_a_target_that_dies_leaves_what_it_had_handed_over() -> None:
    session, _ = make_session(talk(5), end="process 7 has ended")
    session.run(never)
    assert session.why_ended == "process 7 has ended"
    assert session.recording.cpu.n_samples == 5


class Gone(Script):
    """An engine that ended with its process: what it sent is there, requests do not reach it."""

    def send(self, framed: bytes) -> None:
        raise ConnectionLostError(self._end)


def test_what_a_program_left_that_ended_before_the_first_request_is_kept() -> None:
    (begin, *others), clock = talk(5), FakeClock(START_NS)
    begin.append(message(tags.FromEngine.RATES, _core.encode_int(tags.Rates.CPU_HZ, 100)))
    everything = [*begin, *(frame for turn in others for frame in turn)]
    script = Gone(clock, [everything], "process 7 has ended")
    session = RecordingSession(
        script, Recording(100, START_NS), PLAN, clock, Progress(io.StringIO())
    )
    session.run(never)
    assert session.why_ended == "process 7 has ended"
    assert session.recording.cpu.n_samples == 5


def test_what_a_program_left_that_ended_before_a_collection_is_kept() -> None:
    (begin, *others), clock = talk(300), FakeClock(START_NS)
    begin.append(heap_status(START_NS, START_NS))
    everything = [*begin, *(frame for turn in others for frame in turn)]
    script = Gone(clock, [everything], "process 7 has ended")
    plan = PLAN._replace(is_collecting=True)
    session = RecordingSession(
        script, Recording(100, START_NS), plan, clock, Progress(io.StringIO())
    )
    looks = iter([False, True])
    session.run(lambda: next(looks))
    assert session.why_ended == "process 7 has ended"
    assert session.recording.cpu.n_samples == 300


def test_an_engine_that_leaves_says_why() -> None:
    turns = talk(1)
    turns.append([WireSession().bye("the target exits")])
    session, _ = make_session(turns, end="the engine has left process 7")
    session.run(never)
    assert session.why_ended == "the target exits"


def test_a_damaged_stream_ends_it_and_keeps_what_came_before() -> None:
    session, _ = make_session([*talk(2), [b"\x1a\x05x"]])
    session.run(never)
    assert "ends in the middle" in session.why_ended
    assert session.recording.cpu.n_samples == 2


def test_a_terminal_sees_how_it_goes() -> None:
    terminal = Terminal()
    session, _ = make_session(talk(10), end="process 7 has ended", stream=terminal)
    session.run(never)
    shown = terminal.getvalue().split("\r\x1b[K")
    assert "process 7: 0.5 s, 5 samples, 0 lost, 8 of 100 a CPU second" in shown
    assert shown[-1] == "", "the line is taken away at the end"


def test_a_terminal_names_both_causes_of_a_wait_for_the_gil() -> None:
    terminal = Terminal()
    session, _ = make_session([[WireSession().hello()]], "gone", terminal, SECOND_NS)
    session.run(never)
    assert "waiting for the GIL: C code may hold it, or the process gets" in terminal.getvalue()
    assert session.recording.ready is None


def test_a_pipe_sees_once_that_the_engine_waits_for_the_gil() -> None:
    """After half a second: five turns, and the Ready comes in the eighth."""
    pipe = io.StringIO()
    begin, *others = talk(10)
    hello, ready = begin
    session, _ = make_session([[hello], *[[]] * 6, [ready], *others], "gone", pipe, SECOND_NS)
    session.run(never)
    said = pipe.getvalue()
    assert said.startswith("stackglass: process 7: waiting for the GIL: C code may hold it, or")
    assert said.count("\n") == 1
    assert session.recording.ready is not None


def test_a_pipe_does_not_see_a_short_wait_for_the_gil() -> None:
    pipe = io.StringIO()
    begin, *others = talk(10)
    hello, ready = begin
    session, _ = make_session([[hello], *[[]] * 3, [ready], *others], "gone", pipe, SECOND_NS)
    session.run(never)
    assert pipe.getvalue() == ""


def test_a_pipe_sees_nothing() -> None:
    pipe = io.StringIO()
    session, _ = make_session(talk(10), end="process 7 has ended", stream=pipe)
    session.run(never)
    assert pipe.getvalue() == ""


def heap_status(mono_ns: int, start_ns: int = 0, problem: str = "") -> bytes:
    field = tags.HeapStatus
    return message(
        tags.FromEngine.HEAP_STATUS,
        _core.encode_int(field.TIME_MONO_NS, mono_ns)
        + _core.encode_int(field.START_MONO_NS, start_ns)
        + _core.encode_bytes(field.PROBLEM, problem.encode()),
    )


def make_heap_session(
    turns: Iterable[list[bytes]], duration_ns: int, hz: int = 0
) -> tuple[RecordingSession, FakeClock]:
    """A recording of the heap, and with a rate also of the CPU."""
    clock = FakeClock(START_NS)
    progress = Progress(io.StringIO())
    recording = Recording(hz, START_NS)
    profiles = ["heap", *([CPU] if hz else [])]
    plan = Plan(
        tuple(Output(profile, f"{profile}.pb.gz", is_legacy=False) for profile in profiles),
        RateRequest(Rates(cpu_hz=hz, heap_rate=4096)),
        duration_ns,
    )
    return RecordingSession(Script(clock, turns), recording, plan, clock, progress), clock


def test_a_duration_counts_from_the_first_profile_that_is_wanted() -> None:
    late_ns = START_NS + 3 * SECOND_NS
    turns = talk(100)
    for turn, messages in enumerate(turns):
        now_ns = START_NS + turn * TURN_NS
        messages.append(heap_status(now_ns, late_ns if now_ns >= late_ns else 0))
    session, clock = make_heap_session(turns, SECOND_NS)
    session.run(never)
    assert late_ns + SECOND_NS <= clock.mono_ns() <= late_ns + SECOND_NS + 2 * TURN_NS
    session, clock = make_heap_session(turns, SECOND_NS, hz=100)
    session.run(never)
    assert clock.mono_ns() < late_ns


def test_a_duration_counts_from_the_memory_trace_though_threads_are_sampled_before() -> None:
    late_ns = START_NS + 3 * SECOND_NS
    clock, turns = FakeClock(START_NS), talk(100)
    field = tags.MemoryInfo
    start = _core.encode_int(field.START_MONO_NS, late_ns)
    turns[30].append(message(tags.FromEngine.MEMORY_INFO, start))
    rates = Rates(cpu_hz=100, wall_hz=100)
    plan = Plan(
        (Output(MEMORY, "trace.sgm", is_legacy=False),),
        RateRequest(rates, has_memory=True),
        SECOND_NS,
    )
    progress = Progress(io.StringIO())
    session = RecordingSession(
        Script(clock, turns), Recording(100, START_NS), plan, clock, progress
    )
    session.run(never)
    assert clock.mono_ns() >= late_ns + SECOND_NS


def test_where_all_are_refused_nothing_is_waited_for() -> None:
    wire = WireSession()
    refused = heap_status(START_NS, problem="no room")
    turns = [[wire.hello(), wire.ready(START_NS), refused], *talk(100)]
    session, clock = make_heap_session(turns, 60 * SECOND_NS)
    session.run(never)
    assert session.recording.heap.problem == "no room"
    assert clock.mono_ns() < START_NS + 10 * SECOND_NS


def test_the_end_is_a_detach_and_a_bye_ends_the_waiting() -> None:
    clock = FakeClock(START_NS)
    turns = [*talk(0), [], [], [WireSession().bye()]]
    script = Script(clock, turns, end="the engine has left process 7")
    plan = PLAN._replace(duration_ns=TURN_NS)
    session = RecordingSession(
        script, Recording(100, START_NS), plan, clock, Progress(io.StringIO())
    )
    session.run(never)
    assert script.sent == [requests.encode_detach()]
    assert session.why_ended == ""
    assert clock.mono_ns() == START_NS + 4 * TURN_NS


def test_samples_that_wait_for_their_names_are_waited_for() -> None:
    """On a crowded machine the engine may need seconds to get the GIL for them."""
    wire = WireSession()
    begin = [[wire.hello(), wire.ready(START_NS)], [wire.status(START_NS + TURN_NS)]]
    late_ns = START_NS + 40 * TURN_NS
    counted = [wire.status(START_NS + 3 * TURN_NS, 2)]  # nothing of them is here yet
    named = [wire.batch([TextSample("main;f"), TextSample("main;g")]), wire.status(late_ns, 2)]
    turns = [*begin, counted, *([] for _ in range(36)), named]
    session, clock = make_session([*turns, *([] for _ in range(100))], duration_ns=2 * TURN_NS)
    session.run(never)
    assert session.recording.cpu.n_samples == 2
    assert clock.mono_ns() == late_ns


class FullMemory:
    """A memory trace's file on a disk that is full."""

    def flush(self) -> None:
        raise OutputError("cannot write trace.sgm: No space left on device")


def test_a_trace_that_cannot_be_written_on_request_fails_at_the_end_too() -> None:
    session, _ = make_session(talk(2))
    session.memory = FullMemory()  # type: ignore[assignment]
    session.flush_memory()
    failure = session.failure
    assert failure is not None
    assert "No space left" in failure.message
    session.flush_memory()
    assert session.failure is failure


class DamagedMemory:
    """A memory trace whose last events cannot be read."""

    def add(self, frame: bytes, message: object) -> None:
        pass

    def finish(self, is_killed: bool = False) -> None:
        raise WireError("the engine sent what cannot be read")


def test_a_trace_that_is_damaged_at_its_end_leaves_the_other_profiles() -> None:
    session, _ = make_session(talk(3), duration_ns=SECOND_NS)
    session.memory = DamagedMemory()  # type: ignore[assignment]
    session.run(never)
    assert session.why_ended == "the engine sent what cannot be read"
    assert session.recording.cpu.n_samples == 3


def test_a_trace_that_fails_between_two_messages_ends_the_recording_in_order() -> None:
    """A flight recorder without memory; the samples that had come are kept, and it detaches."""

    def turn() -> bool:
        if session.recording.cpu.n_samples:
            raise OutputError("there is no memory for what lives")
        return False

    session, _ = make_session(talk(3))
    session.run(turn)
    assert (session.why_ended, str(session.failure)) == (
        "there is no memory for what lives",
        "there is no memory for what lives",
    )
    assert session.recording.cpu.n_samples > 0
