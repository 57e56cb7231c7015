"""The lock hooks inside each Python of this machine, driven by small programs ("probes").

As test_heap.py. Delays are compared with what the program itself measured around them, and nothing
depends on how fast the machine is.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from harness.matrix import SOME, cover, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@each_python
def test_results_are_the_same(python: Python) -> None:
    """Results, exceptions and messages of all that locks can do; also with state words unknown."""
    reported = run_probe(python, "locks/same_results.py")
    assert reported["n_lines"] > 600
    assert reported["sources"] == ["state word", "try first", ""]
    assert reported["hooked"] == []
    assert reported["tried"] == []
    assert reported["after"] == []
    assert reported["kept"] == ["True", "None", "True", "True", "None"]
    assert reported["are_same_objects"]
    assert reported["n_swapped"] == (18 if python.minor >= 13 else 16)
    assert reported["is_undone"]


@each_python
def test_waits_of_before_the_hooks(python: Python) -> None:
    """Found where their locks can be proven; holders by their `with` blocks, and never guessed."""
    reported = run_probe(python, "locks/earlier.py")
    assert reported["rows"] == reported["expected"]
    assert reported["sliced"] == reported["expected"]
    assert reported["again"] == reported["expected"]
    assert reported["sinces"] == [0]
    assert reported["mover"] == [["mover", "Lock.__enter__", "", 0]]
    assert reported["moved"] == []
    assert reported["waits"] == []
    assert reported["late"] == [["late waiter", "Lock.__enter__", "late holder", 0]]
    assert reported["late_again"] == [["late waiter", "Lock.__enter__", "late holder", 1]]


@each_python
def test_a_thread_that_has_run_does_not_rest(python: Python) -> None:
    """Also where it sleeps again in the same system call, with the same arguments; and a wait for
    a limit is distinguished from one without."""
    reported = run_probe(python, "locks/rests.py")
    *endless, is_same, ended = reported["endless"]
    assert (endless, ended) == ([[1, 0], True, False], False)
    assert is_same or python.minor > 13  # later ones sleep at another place now and then
    noted, rests, rests_after, _, ended = reported["timed"]
    assert (noted, rests, rests_after, ended) == ([1, 1], True, False, False)


@each_python
def test_a_waiter_that_does_not_sleep_yet(python: Python) -> None:
    """It has begun to wait in an earlier session, and has had no processor since: the system does
    not show what it waits for, the hooks have seen it."""
    reported = run_probe(python, "locks/unslept.py")
    row = ["Lock.__enter__", True, 1]
    for _, is_registered, rows, later in reported["rounds"]:
        assert (is_registered, rows, later) == (True, [row], [row])
    assert reported["rest"] == []


WAITED_FOR = {
    "JOBS": "Queue",
    "FULL": "Queue",
    "LEFT": "Queue",
    "FIRST": "Queue",
    "READY": "Event",
    "READY in time": "Event",
    "CHANGED": "Condition",
    "CHANGED until": "Condition",
    "SLOTS": "Semaphore",
    "BOUNDED": "Semaphore",
    "TOGETHER": "Barrier",
    "RESULT": "Future",
    "SIMPLE": "SimpleQueue",
    "PLAIN": "Lock",
    "several": "",  # which of them cannot be said
}


@each_python
def test_what_is_waited_for_beyond_locks(python: Python) -> None:
    """Now, and since before the hooks: the queue, event, barrier … itself, by name."""
    reported = run_probe(python, "locks/signs.py")
    before = sorted(["before", name, kind, True, 0, False] for name, kind in WAITED_FOR.items())
    after = sorted(["after", name, kind, True, 0, True] for name, kind in WAITED_FOR.items())
    assert reported["lost"] == []
    assert reported["before"] == before
    assert reported["after"] == after + before
    assert reported["sliced"] == after + before
    own = [name for name in reported["names"] if name.startswith("__main__.")]
    assert own == sorted(
        f"__main__.{name}" for name in WAITED_FOR if name.isupper() and " " not in name
    )
    assert reported["n_more"] == 0


@each_python
def test_a_look_is_of_one_moment(python: Python) -> None:
    """Threads go on between its slices: no false cycle is reported, and a new thread is there."""
    reported = run_probe(python, "locks/moving_look.py")
    assert reported["outcomes"] == [True] * len(reported["outcomes"])
    assert len(reported["outcomes"]) > reported["n_slices"]
    assert reported["come_late"]


@each_python
def test_a_lock_that_was_just_taken_away_has_no_holder(python: Python) -> None:
    """A waiter of before the hooks has it, and not yet the GIL: who comes then waits, and is
    registered; it is not the holder."""
    reported = run_probe(python, "locks/woken.py")
    for is_there, is_registered, holder in reported["plain"] + reported["recursive"]:
        assert is_registered or not is_there
        assert holder == ""
    assert any(is_there for is_there, _, _ in reported["plain"] + reported["recursive"])


def check_holder_is_charged(reported: dict[str, Any], kind: str, n: int) -> None:
    count, total_ns = reported["mutex"]
    assert count == 1
    assert reported["least"] <= total_ns <= reported["most"]
    assert reported["pairs"] == [n, total_ns]
    assert reported["leaves"] == [[f"_thread.{kind}.release", "let_go"]]
    assert reported["others"] == reported["wait_leaves"]
    assert reported["wait_leaves"] == [[f"_thread.{kind}.__enter__", "wait_for_it"]]
    assert reported["n_waits"] == n
    assert reported["waited"] >= reported["least"]
    assert reported["n_locks"] == 1
    assert reported["is_numbered"]
    assert reported["rest"] == []


@pytest.mark.checklist(62, 63, 65, 66, 67, 70, 71, 72, 75)
@each_python
def test_waits_are_charged(python: Python) -> None:
    """Checklist 62, 63, 65, 66, 67, 70, 71, 72 and 75, and trap 6."""
    reported = run_probe(python, "locks/delays.py")
    check_holder_is_charged(reported["old_lock"], "lock", 5)
    check_holder_is_charged(reported["old_recursive"], "RLock", 5)
    check_holder_is_charged(reported["new_lock"], "lock", 5)
    check_holder_is_charged(reported["many"], "lock", 100)
    check_holder_is_charged(reported["tried_lock"], "lock", 5)
    check_holder_is_charged(reported["tried_recursive"], "RLock", 5)
    each = reported["each_holder"]
    charged, least, most = each["first"]
    assert least <= charged <= most
    charged, least, most = each["second"]
    assert not each["is_in_order"] or least <= charged <= most
    assert not each["is_in_order"] or each["n_pairs"] == [2, 1]
    assert reported["n_free"] == 0
    assert reported["n_tried_free"] == 0
    assert reported["n_off"] == 0
    vain = reported["in_vain"]
    assert vain["results"] == [False, False]
    assert vain["count"] == 2
    assert 60_000_000 <= vain["total_ns"] <= vain["most"]
    assert reported["interrupted"] == {"is_raised": True, "count": 1, "rest": []}
    assert reported["twice"] == [0, 1]
    assert [names[:2] for names in reported["releaser"]] == [
        ["_thread.lock.release", "release_for_another"]
    ]
    handed = {
        "Queue": [1, [["get", "consume"]], 0],
        "SimpleQueue": [1, [["_queue.SimpleQueue.get", "consume"]], 0],
    }
    assert reported["hand_over"] == handed
    assert reported["tried_hand_over"] == handed
    assert reported["join"] == [1, ["join"]]


@pytest.mark.checklist(74)
@each_python
def test_holds_are_drawn(python: Python) -> None:
    """Checklist 74, by real releases: they stand for as many as there were, also the short ones of
    which fewer are kept, and none is charged with more than the time since the one before. Coins
    are seeded; four standard deviations."""
    reported = run_probe(python, "locks/holds.py")
    for name, chance in (("lock", 0.18), ("rlock", 0.18), ("short", 0.2), ("every", 0)):
        facts = reported[name]
        least, most = facts["count"] * (1 - 1e-9), 2 * facts["count"] * (1 + 1e-9)
        assert facts["count"] == pytest.approx(facts["n_contended"], rel=chance), reported
        assert least <= facts["n_pairs"] <= most, reported
        assert facts["most_ns"] <= facts["longest_ns"], reported


@pytest.mark.checklist(74, 75)
@some_pythons
def test_charges_and_draws_step_by_step(python: Python) -> None:
    """Checklist 74 and 75: each nanosecond of a waiter is charged once, to the hold it is of."""
    reported = run_probe(python, "locks/steps.py")
    assert reported["charges"] == [[500], [500], [200], [300]]
    assert reported["of_another_lock"] == [1900]
    assert reported["after_the_end"] == []
    assert reported["holders"] == [True, 0]
    assert reported["many"] == [256, 3000, 10, 10]  # the last row is 45 of them
    assert reported["every"] == [100, 0, 0, 0, 0]
    n_charged, first_began, *n_wrong = reported["one_in_four"]
    assert n_charged == pytest.approx(5000, rel=0.05)  # 4 standard deviations
    assert (first_began, n_wrong) == (0, [0, 0, 0])
    assert reported["none"] == [0, 0, 0, 0, 0]
    assert reported["short"] == [[0.0, 400.0], pytest.approx(4, rel=0.13)]
    assert reported["long"] == [4.0, 4.0, 4.0]
    assert (reported["unknown"], reported["short_of_every"]) == (4, 1)


@each_python
def test_who_waits_for_whom(python: Python) -> None:
    """A holder is known or it is 0; a lock at a dead one's address is another lock."""
    reported = run_probe(python, "locks/waits.py")
    assert reported["before"] == ["Lock.acquire", 0, True, True]
    assert reported["is_known_since"]
    assert reported["free"] == 0
    assert reported["is_main"]
    assert reported["recursive"] == ["RLock.acquire", True]
    assert reported["is_cycle"]
    assert reported["is_locked_out"]
    assert reported["is_joined"]
    assert reported["sign"] == ["Lock.acquire", 0, 0]
    assert reported["again"] == [True, 0]
    assert reported["alike"] == [True, 0]
    assert reported["late"] == "SimpleQueue.get"
    assert reported["forked"] == [0, []]
    assert reported["rest"] == []


@each_python
def test_hooks_come_and_go_in_a_fight(python: Python) -> None:
    """No lost wake-up, no hole in a lock; STACKGLASS_STRESS_S long."""
    reported = run_probe(
        python, "locks/fight.py", float(os.environ.get("STACKGLASS_STRESS_S", "1"))
    )
    assert reported["n_sessions"] >= 12
    assert reported["sources"] == ["state word", "try first"]
    assert reported["problems"] == []
    assert reported["n_alive"] == 0
    assert reported["counted"] == reported["added"]
    assert min(reported["added"]) > 0
    assert reported["n_produced"] == reported["n_consumed"]
    assert reported["is_free"] == [True, True]
    assert reported["waits"] == []


@each_python
def test_a_crowd(python: Python) -> None:
    """200 threads, thousands of locks made and dropped, and forks."""
    reported = run_probe(
        python, "locks/crowd.py", float(os.environ.get("STACKGLASS_STRESS_S", "1"))
    )
    assert reported["failures"] == []
    assert reported["children"] == [0]
    assert reported["n_alive"] == 0
    assert reported["rest"] == []
    status = reported["status"]
    assert status["n_bad_walks"] == 0
    assert status["n_lost"] <= status["n_events"] / 1000


@each_python
def test_ends_with_the_interpreter(python: Python) -> None:
    """In mid-wait, and with hooks in place."""
    assert run_probe(python, "locks/exit.py") == {"n_waiting": True}


@each_python
def test_machine_code_reaches_the_hooks(python: Python) -> None:
    """With the JIT, where there is one: its traces keep pointers to what was there before."""
    reported = run_probe(python, "locks/hot_loop.py", PYTHON_JIT="1")
    assert reported["counts"] == [0, 10_000, 0, 10_000]


@each_python
def test_other_waits_are_kept_apart(python: Python) -> None:
    """Sleep, sockets, select and its kin, child processes: only when asked for."""
    reported = run_probe(python, "locks/other_waits.py")
    assert reported["differences"] == []
    assert reported["is_same"]
    assert reported["leaves"] == [
        "_socket.socket.connect",
        "_socket.socket.recv",
        "_socket.socket.recv_into",
        "_socket.socket.recvfrom",
        "_socket.socket.send",
        "_socket.socket.sendall",
        "accept",  # of socket.socket: the outermost one
        "posix.waitpid",
        "select.epoll.poll",
        "select.poll.poll",
        "select.select",
        "time.sleep",
    ]
    count, total_ns = reported["slept"]
    assert count == 1
    assert total_ns >= reported["pause_ns"]
    assert reported["is_kept"] == [True, True, True]
    assert reported["n_block"] == 0
    assert reported["n_locks"] == 0


N_SWAPPED = 27


@each_python
def test_results_of_other_waits_are_the_same(python: Python) -> None:
    """Results, exceptions and messages of all that may wait; and every function is given back."""
    reported = run_probe(python, "locks/same_waits.py")
    assert reported["n_lines"] > 600
    assert reported["hooked"] == []
    assert reported["removed"] == []
    assert reported["after"] == []
    assert len(reported["swapped"]) == N_SWAPPED
    assert reported["n_reported"] > 50
    assert reported["is_undone"]


@cover("allocator", ["debug", "malloc_debug", "malloc"], SOME)
def test_other_allocators(python: Python, allocator: str) -> None:
    """The interpreter's own checks of its memory find nothing to complain of."""
    reported = run_probe(python, "locks/crowd.py", 0.2, PYTHONMALLOC=allocator)
    assert reported["children"] == [0]
