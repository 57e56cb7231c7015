"""A report of waits as people read it."""

from __future__ import annotations

from harness.waits_talk import S, Wait, WaitsTalk
from stackglass.waits.report import ThreadReport, WaitingProcess, WaitsReport, build_report
from stackglass.waits.text import format_report
from stackglass.wire.definitions import Line
from stackglass.wire.lock_names import LockFacts

NAMES = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six \x1b[2J"}
LOCK = LockFacts("Lock", 0x1000, "app.LOCK")
STACK = (Line("app.take", "/srv/app.py", 31),)


def write(waits: list[Wait], standing: dict[int, str] | None = None, has_all: bool = False) -> str:
    talk = WaitsTalk()
    look = talk.look(waits, standing, NAMES)
    process = WaitingProcess(7, "python app.py", talk.ready)
    report = build_report(look, look, talk.definitions, talk.locks, process)
    return format_report(report, has_all)


def find_section(text: str, title: str) -> list[str]:
    sections = [section.splitlines() for section in text.split("\n\n")]
    (found,) = [lines[1:] for lines in sections if lines[0].startswith(title)]
    return found


def test_no_thread_waits() -> None:
    text = write([], {1: "app.main"})
    head, when, *rest = text.splitlines()
    assert head == "process 7, Python 3.13.0: python app.py"
    assert when.endswith(": 1 thread, none waiting for locks")
    assert rest == ["", "Not waiting for a lock:", "  one [1] in app.main (app.main.py:5)"]


def test_a_deadlock_comes_first_with_those_who_wait_for_it() -> None:
    waits = [
        Wait(4, 1, 3, 9.9),
        Wait(1, 1, 2, 7.0, stuck=2),
        Wait(2, 2, 1, is_inside=True, stuck=2),
        Wait(5, 2, 1, 8.0),
        Wait(6, 2, 1, 9.0),
    ]
    text = write(waits)
    assert "6 threads, 5 waiting for locks, 2 in a deadlock" in text
    assert find_section(text, "Deadlock: these 2 threads wait for each other.") == [
        "  one [1] waits for app.LEFT, held by two, for 3.0 s, in app.take (app.take.py:5)",
        "  └ five [5], six ?[2J [6] wait for app.RIGHT, held by one, for up to 2.0 s, "
        "in app.take (app.take.py:5)",
        "  two [2] waits for app.RIGHT, held by one (inside its with), since before the attach, "
        "in app.take (app.take.py:5)",
    ]
    assert find_section(text, "Waiting threads, each below") == [
        "  three [3] blocks 1 thread, in app.keep (app.keep.py:5)",
        "  └ four [4] waits for app.LEFT, held by three, for 100 ms, in app.take (app.take.py:5)",
    ]
    (note,) = find_section(text, "Notes:")
    assert note.startswith("  inside its with: the acquire was not observed")
    assert text.index("Deadlock") < text.index("Waiting threads, each")


def test_one_that_has_locked_itself_out() -> None:
    (line,) = find_section(
        write([Wait(1, 1, 1, stuck=2)]),
        "Deadlock: this thread waits for a lock that it holds itself.",
    )
    assert line.startswith("  one [1] waits for app.LEFT, held by itself, since before the attach")


def test_a_possible_deadlock_is_no_deadlock() -> None:
    text = write([Wait(1, 1, 2, is_taken=True, stuck=1), Wait(2, 2, 1, stuck=1)])
    assert "2 threads, 2 waiting for locks\n" in text
    assert find_section(text, "Possible deadlock: ") == [
        "  one waits for app.LEFT, which two holds (took it last)",
        "  two waits for app.RIGHT, which one holds",
    ]
    assert len(find_section(text, "Waiting threads, each below")) == 2
    (note,) = find_section(text, "Notes:")
    assert note.startswith("  took it last: by acquire()")
    assert "\nDeadlock" not in text


def test_a_thread_that_waits_for_a_signal_does_not_hold_it() -> None:
    text = write([Wait(1, 1, 1, is_taken=True)])
    (line,) = find_section(text, "Waiting threads, each below")
    assert line.startswith("  one [1] waits for app.LEFT, last taken by itself, ")
    (note,) = find_section(text, "Notes:")
    assert note.startswith("  last taken by itself: no release was observed")
    assert "eadlock" not in text


def test_an_unknown_holder_is_explained() -> None:
    text = write([Wait(1, 1, since_s=9.0)])
    (line,) = find_section(text, "Waiting threads, each below")
    assert "waits for app.LEFT, holder unknown, for 1.0 s" in line
    (note,) = find_section(text, "Notes:")
    assert note.startswith("  holder unknown: the acquire was not observed")
    assert "forked child" in note


def test_queues_and_pools_are_apart() -> None:
    text = write(
        [
            Wait(1, 0, stack="app.work;queue.Queue.get;threading.Condition.wait", since_s=9.0),
            Wait(2, 3, stack="threading.Thread.run;concurrent.futures.thread._worker"),
            Wait(3, 0, 1, stack="app.main;threading.Thread.join", call="Thread.join"),
        ]
    )
    assert find_section(text, "Waiting to be woken:") == [
        "  two [2] in concurrent.futures.thread._worker (concurrent.futures.thread._worker.py:5), "
        "since before the attach"
    ]
    assert find_section(text, "Waiting threads, each below") == [
        "  one [1] blocks 1 thread, in queue.Queue.get, for 1.0 s, called in "
        "app.work (app.work.py:5)",
        "  └ three [3] waits for the end of one, since before the attach, "
        "in app.main (app.main.py:5)",
    ]


def test_many_who_wait_alike_share_a_line_and_a_stack() -> None:
    waits = [Wait(tid, 1, 2, 9.0) for tid in range(10, 210)]
    text = write(waits)
    _, line = find_section(text, "Waiting threads, each below")
    assert line.startswith("  └ thread 10 [10], thread 11 [11], thread 12 [12] and 197 more wait")
    stacks = find_section(text, "Stacks")
    assert len(stacks) == 6
    assert stacks[-3].endswith("thread 17 [17] and 192 more")
    assert stacks[-2:] == ["    app.take (app.take.py:5)", "    app.main (app.main.py:5)"]


def test_stacks_of_the_others_when_asked_for() -> None:
    standing = {2: "app.main;app.idle"}
    assert "app.idle.py:5)\n    app.main" not in write([Wait(1)], standing)
    assert find_section(write([Wait(1)], standing, has_all=True), "Stacks")[-3:] == [
        "  two [2]",
        "    app.idle (app.idle.py:5)",
        "    app.main (app.main.py:5)",
    ]


def make_report(*threads: ThreadReport, python: str = "3.13.0") -> WaitsReport:
    return WaitsReport(7, python, "", 0, threads, (), ())


def test_the_programs_own_line_stands_beside_the_librarys() -> None:
    select = Line("selectors.EpollSelector.select", "/usr/lib/python3.11/selectors.py", 468)
    loop = Line("asyncio.base_events.BaseEventLoop._run_once", "/usr/lib/python3.11/a.py", 1)
    own = Line("app.serve", "/srv/lib/python3.11/site-packages/app.py", 9)
    thread = ThreadReport(1, "one", (select, loop, own))
    text = format_report(make_report(thread))
    assert find_section(text, "Not waiting") == [
        "  one [1] in selectors.EpollSelector.select (selectors.py:468), called in "
        "app.serve (app.py:9) (an event loop)"
    ]
    assert find_section(text, "Notes:") == [
        "  an event loop: what its asyncio tasks wait for is not shown here"
    ]
    text = format_report(make_report(thread, python="3.14.2"))
    assert find_section(text, "Notes:")[0].endswith("see `python3.14 -m asyncio pstree 7`")
    text = format_report(make_report(thread._replace(asleep_ns=90 * S)))
    assert find_section(text, "Not waiting")[0].endswith(", asleep for at least 1 min 30 s")
    text = format_report(make_report(thread._replace(is_running=True)))
    assert find_section(text, "Not waiting")[0].startswith("  one [1] runs in selectors.")
    text = format_report(make_report(ThreadReport(1, "one", ())))
    assert find_section(text, "Not waiting") == ["  one [1] runs no Python"]


def test_a_task_that_keeps_its_loop_waiting() -> None:
    stack = (
        *STACK,
        Line("asyncio.events.Handle._run", "/usr/lib/python3.11/asyncio/events.py", 80),
        Line("asyncio.base_events.BaseEventLoop._run_once", "/usr/lib/python3.11/a.py", 1),
    )
    thread = ThreadReport(1, "one", stack, is_waiting=True, lock=LOCK, lock_name="app.LOCK")
    text = format_report(make_report(thread))
    assert "asyncio's tasks" not in text
    (line,) = find_section(text, "Waiting threads, each")
    assert line.endswith(", in app.take (app.py:31) (blocks its event loop)")


def test_what_cannot_be_shown_is_explained() -> None:
    text = format_report(make_report()._replace(has_earlier=False))
    assert find_section(text, "Notes:")[0].startswith("  waits that began before the attach")


def test_a_least_is_called_so() -> None:
    thread = ThreadReport(1, "one", STACK, is_waiting=True, lock=LOCK, lock_name="app.LOCK")
    text = format_report(make_report(thread._replace(waited_ns=11_520 * S, is_at_least=True)))
    assert "app.LOCK, holder unknown, for at least 3 h 12 min, in app.take (app.py:31)" in text
