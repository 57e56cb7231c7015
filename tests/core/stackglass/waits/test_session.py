"""The conversation, against an engine that says what the test has written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from harness.fake_clock import FakeClock
from harness.waits_talk import START_NS, S, Wait, WaitsTalk
from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import AttachError, WireError
from stackglass.waits.session import WaitsSession
from stackglass.wire import requests

PATIENCE_NS = 10 * S
TURN_NS = S // 10
LOOK = [requests.encode_snapshot_threads(), requests.encode_take_lock_waits()]
ON = requests.encode_set_contention_rates(mutex_fraction=10**9)
DETACH = requests.encode_detach()
NAMES = {1: "one", 2: "two"}


class Script:
    """An engine's side: what it answers to each request, by the request. It says nothing else."""

    def __init__(self, clock: FakeClock, first: Iterable[bytes] = ()) -> None:
        self._clock = clock
        self.frames = list(first)
        self.answers: dict[bytes, Callable[[], list[bytes]]] = {}
        self.sent: list[bytes] = []
        self.has_ended = False

    def send(self, framed: bytes) -> None:
        if self.has_ended:
            raise ConnectionLostError("process 7 has ended")
        self.sent.append(framed)
        self.frames += self.answers.get(framed, list)()

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        if self.frames:
            return self.frames.pop(0)
        self._clock.advance(TURN_NS)
        return None


class Engine:
    """A session with it; ``looks`` are the waits that it reports in turn, then the last again."""

    def __init__(self, *looks: list[Wait], mutex_fraction: int = 0, has_names: bool = True) -> None:
        self.talk = WaitsTalk()
        self.clock = FakeClock(START_NS)
        self.script = Script(
            self.clock, [self.talk.wire.ready(START_NS), self.talk.put_rates(mutex_fraction)]
        )
        self.script.answers = {
            LOOK[0]: self._send_threads,
            LOOK[1]: self._send_waits,
            ON: lambda: [self.talk.put_rates(10**9)],
        }
        self.reported: list[str] = []
        self._looks = list(looks)
        self._has_names = has_names
        self._has_locks = False
        self.session = WaitsSession(
            self.script, self.clock, PATIENCE_NS, self._explain, self.reported.append
        )

    def _explain(self, gil_wait_ns: int) -> AttachError:
        return AttachError(f"silent, {gil_wait_ns}")

    def _send_threads(self) -> list[bytes]:
        threads = self.talk.put_threads({3: "app.main"})
        return [self.talk.wire.batch([], NAMES | {3: "three"}), threads]

    def _send_waits(self) -> list[bytes]:
        waits = self.talk.put_waits(self._looks.pop(0) if len(self._looks) > 1 else self._looks[0])
        locks = [] if self._has_locks else [self.talk.put_locks()]
        if not self._has_locks and self._has_names:
            locks.append(self.talk.put_names())
        self._has_locks = True
        return [self.talk.wire.batch([]), *locks, waits]


def test_it_looks_twice_and_has_locks_watched_meanwhile() -> None:
    engine = Engine([Wait(1, 1, 2), Wait(2, 2, 1)], [Wait(1, 1, 2)])
    engine.session.begin()
    before, look = engine.session.take_settled(None)
    engine.session.end()
    assert (before.waits.tid, look.waits.tid, look.threads.tid) == ([1, 2], [1], [3])
    assert engine.session.locks.get(1).name == "app.LEFT"
    assert engine.script.sent == [LOOK[0], ON, *LOOK, *LOOK, DETACH]
    assert engine.clock.mono_ns() == START_NS  # nothing was waited for in vain


def test_a_rate_that_another_client_has_set_is_asked_for_as_it_is() -> None:
    """So it does not change, and locks stay watched when that client leaves."""
    engine = Engine([], mutex_fraction=10)
    engine.session.begin()
    engine.session.take_settled(None)
    engine.session.end()
    as_it_is = requests.encode_set_contention_rates(mutex_fraction=10)
    assert engine.script.sent == [LOOK[0], as_it_is, *LOOK, *LOOK, DETACH]


def test_names_are_not_waited_for_for_ever() -> None:
    engine = Engine([Wait(1)], has_names=False)
    engine.session.begin()
    before, look = engine.session.take_settled(None)
    assert engine.clock.mono_ns() == START_NS + 10 * S
    engine.session.take_settled(look)  # the next one knows that there is none
    assert engine.clock.mono_ns() == START_NS + 10 * S
    assert before.waits.tid == look.waits.tid


def test_a_lock_without_a_name_costs_no_time_once_that_is_settled() -> None:
    engine = Engine([Wait(1)], has_names=False)
    locks, settled = engine.talk.put_locks(), engine.talk.put_names(has_names=False)
    engine.script.frames += [engine.talk.wire.batch([]), locks, settled]
    engine._has_locks = True
    engine.session.begin()
    engine.session.take_settled(None)
    assert engine.session.locks.get(1).name == ""
    assert engine.clock.mono_ns() == START_NS


def test_a_name_that_is_not_settled_is_waited_for() -> None:
    """A busy engine has found one, and may find a better one."""
    engine = Engine([Wait(1)], has_names=False)
    early, late = (engine.talk.put_names(is_settled=each) for each in (False, True))
    engine.session.begin()
    engine.script.answers[LOOK[1]] = lambda: [
        *engine._send_waits(),
        engine.talk.wire.batch([]),
        early,
    ]
    receive = engine.script.receive

    def receive_late(timeout_s: float | None = None) -> bytes | None:
        frame = receive(timeout_s)
        is_late = frame is None and engine.clock.mono_ns() == START_NS + 5 * S
        return late if is_late else frame

    engine.script.receive = receive_late  # type: ignore[method-assign]
    engine.session.take_settled(None)
    assert engine.clock.mono_ns() == START_NS + 5 * S
    assert engine.session.locks.get(1).is_settled


def test_a_queue_needs_no_name() -> None:
    engine = Engine([Wait(1, 3)], has_names=False)
    engine.session.begin()
    engine.session.take_settled(None)
    assert engine.clock.mono_ns() == START_NS


def test_an_interpreter_that_is_kept() -> None:
    clock = FakeClock(START_NS)
    reported: list[str] = []
    talk = WaitsTalk()
    script = Script(clock, [talk.wire.hello()])
    session = WaitsSession(
        script, clock, PATIENCE_NS, lambda _: AttachError("silent"), reported.append
    )
    with pytest.raises(AttachError, match="silent"):
        session.begin()
    assert clock.mono_ns() == START_NS + PATIENCE_NS
    assert set(reported) == {
        "waiting for the GIL: C code may hold it, "
        "or the process gets too little time on a processor"
    }
    assert script.sent == [LOOK[0]]
    session.end()
    assert script.sent == [LOOK[0], DETACH]


def test_one_that_answers_no_longer() -> None:
    engine = Engine([])
    engine.session.begin()
    engine.script.answers = {}
    with pytest.raises(AttachError, match="silent, 0"):
        engine.session.take_settled(None)


def test_locks_that_cannot_be_watched() -> None:
    engine = Engine([])
    engine.session.begin()
    engine.script.answers = {LOOK[1]: lambda: [engine.talk.put_problem("it has none")]}
    with pytest.raises(AttachError, match="waits for locks cannot be observed: it has none"):
        engine.session.take_settled(None)


def test_an_engine_that_leaves_says_why_and_has_no_rates_left() -> None:
    engine = Engine([])
    engine.session.begin()
    engine.script.answers = {LOOK[1]: lambda: [engine.talk.wire.bye("the program has ended")]}
    with pytest.raises(AttachError, match="the program has ended"):
        engine.session.take_settled(None)
    engine.script.has_ended = True
    engine.session.end()


def test_what_refers_to_nothing_is_refused() -> None:
    engine = Engine([Wait(1, 9)])
    engine.session.begin()
    with pytest.raises(WireError, match="an undefined lock"):
        engine.session.take_settled(None)


def test_listening_ends_when_it_is_stopped() -> None:
    engine = Engine([])
    assert engine.session.listen(3 * TURN_NS, lambda: False)
    assert engine.clock.mono_ns() == START_NS + 3 * TURN_NS
    assert not engine.session.listen(3 * TURN_NS, lambda: True)
