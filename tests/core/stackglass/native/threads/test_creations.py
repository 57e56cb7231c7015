"""Starts of threads, recorded while the engine leaves."""

from __future__ import annotations

from harness.compiled import compile_library
from harness.matrix import each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python


@some_pythons
def test_tables_stay_while_a_thread_is_in_the_hook(python: Python) -> None:
    """Of an interpreter with a GIL of its own: the engine's GIL does not keep it out."""
    assert run_probe(python, "sampler/late_starts.py") == {
        "recorded": 1,
        "is_inside": True,
        "has_table": True,
        "late": 0,
        "has_table_afterwards": False,
    }


@some_pythons
def test_a_thread_that_has_not_begun_is_found_later(python: Python) -> None:
    """Nothing waits for it: the program's lock is held for one list of states, however many have no
    thread yet, and whatever other threads the process has."""
    held = compile_library("held_births.c", "now", "-ldl")
    assert run_probe(python, "sampler/early_states.py", LD_PRELOAD=held) == {
        "has_state": True,
        "before": 1,
        "early": [],
        "are_found": True,
        "again": [],
        "n_due": 50,
        "is_due_at_once": False,
        "first": True,
        "too_soon": False,
        "ended": [0],
    }


@each_python
def test_a_thread_that_begins_while_states_are_read_is_found(python: Python) -> None:
    """Between two reads of its state it would be in neither list."""
    held = compile_library("held_births.c", "now", "-ldl")
    assert run_probe(python, "sampler/begun_meanwhile.py", LD_PRELOAD=held) == {
        "before": 1,
        "are_found": True,
    }


@each_python
def test_the_name_of_a_started_thread_is_read_in_place(python: Python) -> None:
    """Without a block of its own in the program's heap; no code of a class runs, and a method of
    another object has no name."""
    assert run_probe(python, "sampler/started_names.py") == {
        "names": ["worker 1", "früh ☀", "?", ("long " * 100)[:200], "", "", "", ""],
        "n_calls": 0,
        "n_bytes": 0,
    }


@each_python
def test_the_hook_of_tasks_comes_and_goes(python: Python) -> None:
    """With all classes derived from Task; facts of a task: creator's stack, its thread, older."""
    known, older, unknown = [True, True, False], [False, False, True], [False, False, False]
    assert run_probe(python, "sampler/task_creators.py") == {
        "is_hooked": True,
        "open": [older, known, known, known, known],
        "is_restored": True,
        "closed": unknown,
        "again": [older, older, known],
        "is_abandoned": True,
        "forked": unknown,
        "after_fork": known,
        "is_restored_again": True,
    }


@some_pythons
def test_the_oldest_of_too_many_creators_is_forgotten(python: Python) -> None:
    """Its task is not said to be older than the attach."""
    reported = run_probe(python, "sampler/many_task_creators.py")
    assert set(reported["all"]) == {"known", "unknown"}
    assert 280_000 - (1 << 18) <= reported["all"]["unknown"] < 280_000 // 4
    assert reported["newest"]["known"] > 28_000 * 0.99
