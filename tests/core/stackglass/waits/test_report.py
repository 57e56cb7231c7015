"""What a look at a process has shown."""

from __future__ import annotations

from harness.waits_talk import S, Wait, WaitsTalk
from stackglass.waits.report import WaitingProcess, WaitsReport, build_report
from stackglass.waits.session import WaitsSnapshot
from stackglass.wire.lock_names import LockFacts

MAIN, WORKER, OTHER = 100, 101, 102
NAMES = {MAIN: "MainThread", WORKER: "worker"}


def build(
    talk: WaitsTalk,
    look: WaitsSnapshot,
    before: WaitsSnapshot | None = None,
    asleep_ns: dict[int, int] | None = None,
) -> WaitsReport:
    process = WaitingProcess(7, "python app.py", talk.ready, asleep_ns or {}, running=[99])
    return build_report(look, before or look, talk.definitions, talk.locks, process)


def test_waiters_stand_below_who_holds_them_up_and_the_others_last() -> None:
    talk = WaitsTalk()
    waits = [Wait(OTHER, 2, WORKER, 9.0), Wait(WORKER, 1, MAIN, 7.5)]
    report = build(talk, talk.look(waits, {MAIN: "app.main", 99: "app.idle"}, NAMES))
    assert [(each.name, each.depth, each.n_blocked) for each in report.threads] == [
        ("MainThread", 0, 1),
        ("worker", 1, 1),
        (f"thread {OTHER}", 2, 0),
        ("thread 99", 0, 0),
    ]
    main, worker, _, idle = report.threads
    assert (worker.lock_name, worker.holder, worker.waited_ns) == ("app.LEFT", MAIN, 5 * S // 2)
    assert worker.lock == LockFacts("Lock", 0x1000, "app.LEFT", is_settled=True)
    assert worker.call == "Lock.acquire"
    assert [line.function for line in worker.stack] == ["app.take", "app.main"]
    assert (main.is_waiting, main.is_blocked, main.waited_ns) == (False, False, -1)
    assert [line.function for line in main.stack] == ["app.main"]
    assert [line.function for line in idle.stack] == ["app.idle"]
    assert [each.is_running for each in report.threads] == [False, False, False, True]
    assert (report.pid, report.python, report.command) == (7, "3.13.0", "python app.py")
    assert report.time_unix_ns == 1_700_000_000 * S + 10 * S
    assert (report.cycles, report.cycle_lines) == ((), ())


def test_a_cycle_is_one_if_it_was_there_before() -> None:
    talk = WaitsTalk()
    waits = [
        Wait(MAIN, 1, WORKER, is_taken=True, stuck=2),
        Wait(WORKER, 2, MAIN, is_inside=True, stuck=2),
        Wait(OTHER, 2, MAIN),
    ]
    look = talk.look(waits, names=NAMES)
    report = build(talk, look)
    assert report.cycles == ((MAIN, WORKER),)
    assert report.cycle_lines == (
        (
            "MainThread waits for app.LEFT, which worker holds",
            "worker waits for app.RIGHT, which MainThread holds (inside its with)",
        ),
    )
    assert [(each.tid, each.is_in_cycle) for each in report.threads] == [
        (MAIN, True),
        (OTHER, False),
        (WORKER, True),
    ]
    assert report.threads[2].is_holder_inside
    before = talk.look([Wait(MAIN, 1, WORKER)])
    report = build(talk, look, before)
    assert report.cycles == ()
    assert {each.tid for each in report.threads} == {MAIN, WORKER, OTHER}
    assert not any(each.is_in_cycle for each in report.threads)


def test_who_waits_for_itself_holds_up_the_others() -> None:
    """A lock taken twice, with a time-out: no deadlock if it was not there before."""
    talk = WaitsTalk()
    look = talk.look([Wait(MAIN, 1, MAIN, 9.0, stuck=2), Wait(WORKER, 1, MAIN, 9.5)])
    assert build(talk, look).cycles == ((MAIN,),)
    report = build(talk, look, talk.look([]))
    assert report.cycles == ()
    assert [(each.tid, each.n_blocked) for each in report.threads] == [(MAIN, 1), (WORKER, 0)]


def test_a_cycle_of_one_moment_is_no_deadlock() -> None:
    """The engine has not seen that its threads do not move, not of all of them, or not all holders
    are proven."""
    talk = WaitsTalk()
    for stuck in ((0, 0), (2, 0), (0, 1), (2, 1), (1, 1)):
        first, second = stuck
        waits = [
            Wait(MAIN, 1, WORKER, is_taken=True, stuck=first),
            Wait(WORKER, 2, MAIN, stuck=second),
        ]
        report = build(talk, talk.look(waits, names=NAMES))
        assert (report.cycles, report.cycle_lines) == ((), ())
        assert {each.tid for each in report.threads} == {MAIN, WORKER}
        assert not any(each.is_in_cycle for each in report.threads)
        assert report.possible == (((MAIN, WORKER),) if min(stuck) else ())
    assert report.possible_lines == (
        (
            "MainThread waits for app.LEFT, which worker holds (took it last)",
            "worker waits for app.RIGHT, which MainThread holds",
        ),
    )
    assert build(talk, talk.look(waits), talk.look([])).possible == ()


def test_a_thread_that_took_last_what_it_waits_for_may_wait_for_a_signal() -> None:
    talk = WaitsTalk()
    for is_taken, stuck, is_sure in ((True, 0, False), (True, 2, True), (False, 0, True)):
        look = talk.look([Wait(MAIN, 1, MAIN, is_taken=is_taken, stuck=stuck)])
        (thread,) = build(talk, look).threads
        assert thread.is_holder_sure is is_sure


def test_how_long_is_exact_or_a_least_or_not_known() -> None:
    talk = WaitsTalk()
    waits = [Wait(1, since_s=4.0), Wait(2), Wait(3)]
    report = build(talk, talk.look(waits, {4: "app.idle"}), asleep_ns={1: 99 * S, 2: 60 * S, 4: S})
    assert [(each.tid, each.waited_ns, each.is_at_least) for each in report.threads] == [
        (1, 6 * S, False),
        (2, 60 * S, True),
        (3, -1, False),
        (4, -1, False),
    ]
    assert [each.asleep_ns for each in report.threads] == [99 * S, 60 * S, -1, S]


def test_who_waits_to_be_woken_is_not_blocked() -> None:
    talk = WaitsTalk()
    stack = "app.main;queue.Queue.get;threading.Condition.wait"
    idle = "threading.Thread.run;concurrent.futures.thread._worker"
    waits = [
        Wait(1, 0, stack=stack),
        Wait(2, 3, stack=idle, call="SimpleQueue.get"),
        Wait(3, 0, holder=1, stack="app.main;threading.Thread.join", call="Thread.join"),
        Wait(4, 1),
    ]
    threads = {each.tid: each for each in build(talk, talk.look(waits)).threads}
    assert {tid: each.is_blocked for tid, each in threads.items()} == {
        1: False,
        2: False,
        3: True,
        4: True,
    }
    assert {tid: each.is_joining for tid, each in threads.items() if each.is_joining} == {3: True}
    assert [threads[tid].primitive for tid in (1, 2, 4)] == [
        "queue.Queue.get",
        "concurrent.futures.thread._worker",
        "",
    ]
    assert [threads[tid].place.function for tid in (1, 2, 4)] == [
        "app.main",
        "concurrent.futures.thread._worker",
        "app.take",
    ]
