"""Tasks' waits and event loops that stall, inside each Python of this machine ("probes").

Times are compared with what must have passed at least, and with all that has passed; nothing
depends on how fast the machine is.
"""

from __future__ import annotations

from typing import Any

from harness.matrix import each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python, list_green_environment

BY_LOCK = ["acquire", "__aenter__", "take_lock"]
BY_HOLDER = ["release", "__aexit__", "hold_lock"]
MOST_CHARGES = 256
LONGEST_BRIEF_NS = 90 * 10**6
ROUND_ABOUT_NS = 10 * 10**6  # what a task may lose between its own clock's reading and the engine's


@each_python
def test_results_are_the_same(python: Python) -> None:
    """Results, exceptions, tracebacks, order, representations, what hangs on the classes; and
    tasks that wait when the hooks come and when they go."""
    reported = run_probe(python, "contention/same_tasks.py")
    assert len(reported["without"]) > 90
    for name in ("with", "after", "forked"):
        assert reported[name] == reported["without"], name
    for name in ("are_same_with", "are_same_after", "is_off", "is_on", "is_closed"):
        assert reported[name], name
    lines, n_during, n_after, n_rows = reported["come_and_go"]
    assert lines[0] == "early has it"
    assert lines[-1] == "7"
    assert (n_during, n_after, n_rows) == (3, 0, 0)
    assert reported["n_waits"] == 0
    assert reported["new_modules"] == []


def check(scene: dict[str, Any], *rows: list[Any]) -> None:
    """Rows of [primitive, frames, count], which the tasks have measured from outside."""
    assert [row[:2] + row[3:4] for row in scene["tasks"]] == list(rows)
    assert scene["n_waits"] == 0
    assert all(row[2] > 0 for row in scene["tasks"])
    check_sum(scene)


def check_sum(scene: dict[str, Any]) -> None:
    reported_ns = sum(row[4] for row in scene["tasks"])
    slack_ns = find_slack_ns(scene)
    assert 0.5 * scene["measured_ns"] - slack_ns <= reported_ns <= scene["measured_ns"]


def find_slack_ns(scene: dict[str, Any]) -> float:
    """What the waits may lose: the thread may lose its processor between two readings of a clock,
    and that is in the time of each task that waits."""
    n_waits = sum(row[3] for row in scene["tasks"])
    return float(ROUND_ABOUT_NS + n_waits * scene["delay_ns"])


def check_releases(scene: dict[str, Any], primitive: str, frames: list[str], n: int) -> None:
    """One release by ``frames``, which is charged with what ``n`` tasks have waited up to it."""
    name, _, lock, count, held_ns = next(row for row in scene["releases"] if row[1] == frames)
    assert (name, count) == (primitive, 1)
    pair = next(row for row in scene["pairs"] if row[1] == frames)
    assert pair == [primitive, frames, lock, n, held_ns]
    waited_ns = sum(row[4] for row in scene["tasks"])
    charged_ns = sum(row[4] for row in scene["releases"])
    slack_ns = find_slack_ns(scene)
    assert 0.5 * waited_ns - slack_ns <= held_ns <= charged_ns <= waited_ns


@each_python
def test_tasks_waits_are_reported_by_stack(python: Python) -> None:
    """One event a wait, of the outermost primitive, from the task on; releases with both ends."""
    reported = run_probe(python, "contention/tasks.py")
    assert reported["hurry"]["tasks"] == []
    assert reported["hurry"]["releases"] == []
    scene = reported["have_lock_held"]
    check(scene, ["asyncio.Lock.acquire", BY_LOCK, 3])
    check_releases(scene, "asyncio.Lock.release", BY_HOLDER, 3)
    assert scene["others"] == [BY_LOCK, BY_LOCK]
    scene = reported["have_semaphore_held"]
    check(scene, ["asyncio.Semaphore.acquire", ["acquire", "take_semaphore"], 1])
    by_holder = ["release", "have_semaphore_held"]
    check_releases(scene, "asyncio.Semaphore.release", by_holder, 1)
    # The second release is charged for the task that was not woken by the first.
    scene = reported["have_semaphore_released_twice"]
    n_charged = {row[1][1]: row[3] for row in scene["pairs"]}
    assert n_charged == {"release_first": 2, "release_second": 1}
    scene = reported["have_event_set"]
    check(scene, ["asyncio.Event.wait", ["wait", "wait_for_event"], 2])
    assert scene["releases"] == []
    # Waiting to be woken, and then for the lock that its waker still holds: one wait.
    scene = reported["have_condition_notified"]
    frames = ["wait_for", "wait_for_condition"]
    check(scene, ["asyncio.Condition.wait", frames, 1])
    by_holder = ["release", "__aexit__", "have_condition_notified"]
    name, frames, _, count, held_ns = scene["releases"][0]
    assert (name, frames, count) == ("asyncio.Lock.release", by_holder, 1)
    assert held_ns < scene["tasks"][0][4]
    scene = reported["have_queue_used"]
    check(
        scene,
        ["asyncio.Queue.get", ["get", "get_item"], 1],
        ["asyncio.Queue.join", ["join", "join_queue"], 1],
        ["asyncio.Queue.put", ["put", "put_item"], 1],
    )
    assert scene["releases"] == []
    # A timeout and a cancellation count as what was waited until then. 3.12's wait_for makes no
    # task of its own.
    scene = reported["have_wait_end_otherwise"]
    assert sum(row[3] for row in scene["tasks"]) == 2
    assert all(row[1][:3] == BY_LOCK for row in scene["tasks"])
    check_sum(scene)
    if "have_barrier_passed" in reported:
        row = ["asyncio.Barrier.wait", ["wait", "wait_at_barrier"], 1]
        check(reported["have_barrier_passed"], row)
    assert (
        reported["n_locks"] == reported["n_dead"] >= 7
    )  # each in a number of its own, and all are gone
    assert reported["n_bad_walks"] == 0
    assert reported["after"]["tasks"] == []


@some_pythons
def test_a_crowd_is_charged_to_its_release(python: Python) -> None:
    """Each moment of each task once, whether the task has a row of its own or the last one."""
    reported = run_probe(python, "contention/crowded_semaphore.py")
    for name, (least_ns, most_ns) in reported["bounds"].items():
        n_releases, charged_ns = reported["charged"][f"mutex {name}"]
        assert n_releases == 1
        assert least_ns <= charged_ns <= most_ns
        assert reported["charged"][f"pair {name}"] == [MOST_CHARGES, charged_ns]


@each_python
def test_stalls_are_reported_by_what_keeps_the_loop(python: Python) -> None:
    reported = run_probe(python, "contention/stalls.py")
    for name, frames in (
        ("burn", ["burn", "burn_in_task"]),
        ("sleep", ["sleep_in_task"]),
        ("callback", ["sleep_in_callback"]),
        ("c_code", ["keep_gil", "keep_gil_in_task"]),
        ("nested", ["sleep_in_callback", "nest"]),
    ):
        rows = [row for row in reported[name] if row[0] == frames]
        assert len(rows) == 1, (name, reported[name])
        _, count, total_ns = rows[0]
        assert count == 1, name
        assert reported["stall_ns"] <= total_ns
    if reported["longest_brief_ns"] < LONGEST_BRIEF_NS:  # else the machine has stalled
        assert reported["brief"] == []
    assert reported["off"] == []
    assert reported["higher"] == []  # it lasts half as long as is asked for
    assert [row[0] for row in reported["alone"]] == [["sleep_in_task"]]  # no other rate is on
    assert reported["n_tasks"] == 0
    assert reported["n_bad_walks"] == 0


@some_pythons
def test_stack_of_a_stall_is_not_of_its_beginning(python: Python) -> None:
    reported = run_probe(python, "contention/stalls_by_hand.py")
    assert [count for _, count in reported["look_early"]] == [1]
    assert "look" not in reported["look_early"][0][0]
    assert [row[0][:2] for row in reported["look_late"]] == [["look", "look_late"]]
    # An inner loop's callback leaves the outer one's schedule as it was.
    assert [row[0][:2] for row in reported["look_behind_an_inner_one"]] == [
        ["look", "look_behind_an_inner_one"]
    ]
    assert reported["overlap"] == []


@each_python
def test_a_callback_whose_thread_has_ended_is_forgotten(python: Python) -> None:
    """A greenlet may leave a callback in its middle, and the thread may end without it. What its
    state was is other memory then."""
    packages = list_green_environment(python)
    reported = run_probe(python, "contention/left_callbacks.py", **packages)
    assert reported["by_hand"] == [True, True, False]
    assert reported.get("in_loop") in (None, reported["by_hand"])


@some_pythons
def test_waits_that_cannot_be_followed_are_lost_and_counted(python: Python) -> None:
    reported = run_probe(python, "contention/many_tasks.py")
    n_lost = reported["n_tasks"] - reported["most"]
    assert reported["all"] == {
        "n_waits": reported["most"],
        "n_lost": n_lost,
        "n_done": reported["n_tasks"],
    }
    assert reported["n_reported"] == reported["most"]
    assert reported["few"] == {"n_waits": 10, "n_lost": n_lost, "n_done": 10}
    assert reported["n_more"] == 10
    assert reported["status"]["n_events"] >= reported["n_tasks"] + 10
    assert reported["n_anew"] == 0


@some_pythons
def test_many_primitives_leave_room_for_locks(python: Python) -> None:
    """What fills the numbers of locks are locks alone; then each wait without one is counted."""
    reported = run_probe(python, "contention/many_primitives.py")
    assert (reported["n_lost_of_events"], reported["n_releases"]) == (0, 1)
    assert (reported["n_lost"], reported["n_more"]) == (16_401 - 16_383, 0)
    assert reported["n_waits"] == 0


@each_python
def test_functions_that_are_replaced_later_are_reported(python: Python) -> None:
    """Also once they are restored, since waits may be missing. asyncio's own go on being followed,
    by themselves or in what a replacement calls."""
    reported = run_probe(python, "contention/replaced_later.py")
    for name in ("untouched", "wrapped", "derived", "function_anew", "several_anew"):
        assert reported[name] == "", name
    of_lock = "the program has replaced asyncio.locks.Lock.acquire"
    assert reported["function"] == reported["function_restored"] == of_lock
    assert reported["n_waits"] == reported["n_waits_function"] == 1
    assert reported["code"] == "the program has replaced asyncio.queues.Queue.put"
    assert reported["several"] == f"{of_lock} (and others of asyncio)"
    assert reported["futures"] == "asyncio's futures are not the interpreter's own"
