"""The profiles of threads and tasks out of a snapshot: tables, and Go's text."""

from __future__ import annotations

from typing import Any

import pytest

from harness.saved_profile import SavedProfile
from stackglass.errors import StackglassError
from stackglass.threads import profile_text
from stackglass.wire import messages, recorded_profiles
from stackglass.wire.recording import Recording

RUNNING, IN_LOCK = 1, 3
TASK_RUNNING, SUSPENDED = 1, 3
FUNCTIONS = ["app.main", "queue.Queue.get", "app.work"]
NAMES = ["MainThread", "first", "second"]
MAIN, WAIT, WORK = 1, 2, 3  # nodes
DUMP = messages.ThreadDump(
    n_slices=1,
    is_whole=1,
    thread_tid=[100, 101, 102],
    thread_node=[WORK, WAIT, WAIT],
    thread_state=[RUNNING, IN_LOCK, IN_LOCK],
    thread_call=[0] * 3,
    thread_name=NAMES,
    thread_daemon=[0] * 3,
    thread_interpreter=[0] * 3,
    thread_task=[0x10, 0, 0],
    thread_primitive=[0] * 3,
    thread_lock=[0] * 3,
    thread_since_mono_ns=[0] * 3,
    thread_holder=[0] * 3,
    thread_creator=[0, 100, 0],
    thread_creation=[0, MAIN, 0],
    thread_labels=[0] * 3,
    task_id=[0x10, 0x20, 0x30],
    task_name=["handler", "poll", "Task-9"],
    task_node=[0, WORK, WORK],
    task_state=[TASK_RUNNING, SUSPENDED, SUSPENDED],
    task_tid=[100, 100, 0],
    task_awaited=[0] * 3,
    task_awaited_type=["", "Future", "Future"],
    task_labels=[0] * 3,
)
"""Three threads, two with the same stack, and three tasks, of which the first thread runs one."""


def record(**facts: Any) -> Recording:
    n = len(FUNCTIONS)
    recording = Recording(0)
    recording.add(messages.Hello(pid=100))
    recording.add(messages.Ready(python_version="3.13.0"))
    recording.add(
        messages.Batch(
            strings=["", *FUNCTIONS, "app.py", *NAMES],
            function_name=[1, 2, 3],
            function_system_name=[1, 2, 3],
            function_filename=[4] * n,
            function_start_line=[1] * n,
            location_function=range(n),
            location_line=[7] * n,
            node_parent=[0, 0, MAIN, MAIN],
            node_location=[0, 0, 1, 2],
            thread_tid=[100, 101, 102],
            thread_name=[5, 6, 7],
        )
    )
    recording.add(DUMP._replace(**facts))
    return recording


def test_each_thread_and_each_task_counts_once() -> None:
    """A task that a thread runs is that thread; names are labels, for pprof to split by."""
    profile = SavedProfile(profile_text.encode("threads", record(), 0))
    assert profile.sample_types == ["threads/count"]
    found = {
        (row.stack[-1], row.labels.get("task"), row.labels.get("thread")) for row in profile.rows
    }
    assert found == {
        ("app.work", None, "MainThread"),
        ("queue.Queue.get", None, "first"),
        ("queue.Queue.get", None, "second"),
        ("app.work", "poll", "MainThread"),
        ("app.work", "Task-9", None),
    }
    tables = recorded_profiles.build("threads", record())
    assert recorded_profiles.count("threads", tables) == 5


def test_text_counts_equal_stacks_as_go_does() -> None:
    lines = profile_text.encode("threads", record(), 1).decode().splitlines()
    assert lines[0] == "threads profile: total 5"
    assert [line.partition(" @ ")[0] for line in lines if " @ " in line] == ["2", "2", "1"]
    assert '# labels: {"task":"poll"}' in lines


def test_the_dump_has_states_and_creators() -> None:
    blocks = profile_text.encode("threads", record(), 2).decode().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        'thread 100 "MainThread" running task "handler" [running]:',
        'thread 101 "first" [waiting for a lock: queue.Queue.get]:',
        'thread 102 "second" [waiting for a lock: queue.Queue.get]:',
        'task 0x20 "poll" [suspended: Future]:',
        'task 0x30 "Task-9" [suspended: Future]:',
    ]
    assert blocks[1].splitlines()[-2:] == ["created by app.main in thread 100", "\tapp.py:7"]
    assert blocks[2].splitlines()[-1] == "created by C code"
    assert blocks[3].splitlines()[-1] == "creator not recorded"


def test_the_thread_that_waits_for_the_snapshot_runs() -> None:
    text = profile_text.encode("threads", record(), 2, own_tid=101).decode()
    assert 'thread 101 "first" [running]:' in text
    assert 'thread 102 "second" [waiting for a lock: queue.Queue.get]:' in text


def test_leaks_are_marked_and_counted_alone() -> None:
    recording = record(thread_leaked=[0, 1, 0], task_leaked=[0, 0, 1])
    counts = profile_text.encode("threadleak", recording, 1)
    assert counts.startswith(b"threadleak profile: total 2\n")
    blocks = profile_text.encode("threadleak", recording, 2).decode().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        'thread 101 "first" [waiting for a lock: queue.Queue.get (leaked)]:',
        'task 0x30 "Task-9" [suspended: Future (leaked)]:',
    ]
    profile = SavedProfile(profile_text.encode("threadleak", recording, 0))
    assert sum(row.values[0] for row in profile.rows) == 2


@pytest.mark.parametrize("debug", [0, 1, 2])
def test_a_search_without_a_result_is_an_error(debug: int) -> None:
    with pytest.raises(StackglassError, match="cannot search for leaks: it took too long"):
        profile_text.encode("threadleak", record(leak_problem="it took too long"), debug)


@pytest.mark.parametrize("debug", [0, 1, 2])
def test_a_profile_of_several_moments_says_so(debug: int) -> None:
    content = profile_text.encode("threads", record(n_slices=2), debug)
    said = "\n".join(SavedProfile(content).comments) if debug == 0 else content.decode()
    assert "This is not one moment" in said
    once = profile_text.encode("threads", record(), debug)
    said = "\n".join(SavedProfile(once).comments) if debug == 0 else once.decode()
    assert "This is not one moment" not in said
