"""Threads and tasks for people."""

from __future__ import annotations

from harness.thread_reports import make_greenlet, make_report, make_task, make_thread
from stackglass.threads.report import LeakSearch, name_nameless
from stackglass.threads.text import format_report
from stackglass.wire.thread_states import IDLE, NOT_BEGUN, WAITING_FOR_LOCK

S = 10**9


def test_equal_stacks_share_a_section_and_running_ones_come_first() -> None:
    idle = [make_thread(f"w{i}", 101 + i, state=IDLE, waited_ns=i * S) for i in range(5)]
    text = format_report(make_report(*idle, make_thread(), make_task("poll")))
    head, main, workers, task = text.split("\n\n")
    assert head.splitlines()[0] == "process 100, Python 3.13.0: python app.py"
    assert head.splitlines()[1].endswith(": 6 threads, 1 task")
    assert main.splitlines() == [
        "Thread MainThread [100], running:",
        "  app.work (/srv/app.work.py:1)",
        "  app.main (/srv/app.main.py:2)",
    ]
    title = "5 threads, idle for up to 4.0 s: w0 [101], w1 [102], w2 [103] and 2 more"
    assert workers.splitlines()[0] == title
    assert task.splitlines()[0] == "Task poll, suspended, awaiting sleep:"


def test_how_long_tasks_have_waited_is_said_where_it_is_known() -> None:
    one = format_report(make_report(make_task("poll", waited_ns=2 * S)))
    assert "Task poll, suspended for 2.0 s, awaiting sleep:" in one
    tasks = [make_task(f"t{at}", at + 1, waited_ns=at * S) for at in range(3)]
    text = format_report(make_report(*tasks, make_task("t3", 9)))
    assert "4 tasks, suspended for up to 2.0 s, awaiting sleep: t0, t1, t2 and 1 more" in text


def test_locks_holders_and_awaiters_are_named() -> None:
    waiter = make_thread(
        "w",
        101,
        state=WAITING_FOR_LOCK,
        wait="Lock.acquire",
        waited_ns=2 * S,
        is_at_least=True,
        lock_kind="Lock",
        lock_address=0x7F00,
        holder=100,
    )
    tasks = make_task("first", 1, awaited_by=(2,)), make_task("second", 2, wait="task first")
    text = format_report(make_report(make_thread(task="third", task_id=3), waiter, *tasks))
    assert "Thread MainThread [100], running, runs task third:" in text
    assert (
        "Thread w [101], waiting for a lock for at least 2.0 s, in Lock.acquire, "
        "for the Lock at 0x7f00, held by MainThread [100]:" in text
    )
    assert "Task first, suspended, awaiting sleep, awaited by second:" in text
    assert "Task second, suspended, awaiting task first:" in text


def test_several_moments_are_said_to_be_so() -> None:
    assert "not one moment" not in format_report(make_report(make_thread()))
    text = format_report(make_report(make_thread(), n_slices=3))
    assert text.splitlines()[-1].startswith("This is not one moment:")
    missing = make_report(make_thread())._replace(is_whole=False)
    assert "are missing" in format_report(missing)


def test_greenlets_stand_by_stack_and_thread_behind_the_tasks() -> None:
    assert "reenlet" not in format_report(make_report(make_thread()))
    others = [make_greenlet(greenlet_id=at) for at in (1, 2)]
    foreign = make_greenlet("mail", 3, tid=999)
    text = format_report(make_report(make_thread(), make_task("poll"), *others, foreign))
    head, _, task, together, alone = text.split("\n\n")
    assert head.splitlines()[1].endswith(": 1 thread, 1 task, 3 suspended greenlets")
    assert task.splitlines()[0] == "Task poll, suspended, awaiting sleep:"
    assert together.splitlines() == [
        "2 greenlets, suspended, in thread MainThread [100]: Greenlet",
        "  app.serve (/srv/app.serve.py:1)",
    ]
    assert alone.splitlines()[0] == "Greenlet mail, suspended:"


def test_what_greenlets_wait_in_and_those_that_have_not_begun() -> None:
    reader = make_greenlet("reader", 1, wait="socket.recv")
    later = make_greenlet("later", 2, tid=0, stack=(), node=7, state=NOT_BEGUN)
    text = format_report(make_report(make_thread(), reader, later))
    head, _, first, last = text.split("\n\n")
    assert head.splitlines()[1].endswith(": 1 thread, 1 suspended greenlet, 1 not begun")
    assert first.splitlines()[0] == (
        "Greenlet reader, suspended, waiting in socket.recv, in thread MainThread [100]:"
    )
    assert last.splitlines() == ["Greenlet later, not begun:", "  (no Python frames)"]


def test_leaks_have_a_head_of_their_own_and_what_they_cost() -> None:
    report = make_report(make_thread("w", 101, is_leaked=True), make_task("poll", is_leaked=True))
    text = format_report(report._replace(search=LeakSearch(20123, 28 * 10**6)))
    assert text.splitlines()[1].endswith(": 1 thread, 1 task that nothing can ever wake")
    assert text.splitlines()[-1] == (
        "20123 objects searched; the program stood still for 28 ms. What is not listed may be a "
        "leak, too."
    )


def test_names_of_the_program_are_fit_for_a_terminal() -> None:
    assert "\x1b" not in format_report(make_report(make_thread("\x1b[1m"), make_task("\x1b[1m")))


def test_a_thread_without_a_name_is_its_number() -> None:
    text = format_report(make_report(make_thread(name_nameless(4711), 4711)))
    assert "Thread 4711, running:" in text
