"""Threads and tasks in Go's two forms."""

from __future__ import annotations

import pytest

from harness.thread_reports import (
    make_greenlet,
    make_report,
    make_stack,
    make_task,
    make_thread,
)
from stackglass.threads.go_text import format_counts, format_dump
from stackglass.wire.definitions import Line
from stackglass.wire.thread_states import IN_CALL, NOT_BEGUN

MINUTE_NS = 60 * 10**9


def test_counts_are_ordered_and_labels_split_equal_stacks() -> None:
    poll = [make_task(f"Task-{i}", i) for i in range(2, 5)]
    named = [make_task("po\tll", i) for i in range(5, 7)]
    text = format_counts(make_report(make_thread(), *named, *poll))
    rows = [row.splitlines() for row in text.split("\n\n")]
    assert rows[0][0] == "threads profile: total 6"
    assert rows[0][1].startswith("3 @ 0x")
    assert rows[0][2].startswith("#\t0x")
    assert rows[0][2].endswith("\tapp.poll+0x0\t/srv/app.poll.py:1")
    assert rows[1][0].startswith("2 @ 0x")
    assert rows[1][1] == '# labels: {"task":"po\\tll"}'
    assert rows[2][0].startswith("1 @ 0x")
    assert rows[0][1].split(" @ ")[1] == rows[1][0].split(" @ ")[1]


def test_greenlets_count_and_a_name_of_their_own_is_a_label() -> None:
    greenlets = [*(make_greenlet(greenlet_id=at) for at in (1, 2)), make_greenlet("mail", 3)]
    rows = [each.splitlines() for each in format_counts(make_report(*greenlets)).split("\n\n")]
    assert rows[0][0] == "threads profile: total 3"
    assert rows[0][1].startswith("2 @ 0x")
    assert rows[1][1] == '# labels: {"greenlet":"mail"}'


def test_greenlets_that_have_not_begun_have_no_stack_to_count() -> None:
    later = make_greenlet("later", 2, stack=(), state=NOT_BEGUN)
    report = make_report(make_greenlet("mail", wait="sleep"), later)
    assert format_counts(report).startswith("threads profile: total 1\n")
    first, second = format_dump(report).split("\n\n")
    assert "[suspended: sleep]:" in first
    assert "[not begun]:" in second


def test_each_greenlet_is_listed_with_its_thread() -> None:
    report = make_report(make_greenlet("mail", 0x30), make_greenlet(tid=0, labels=(("a", "b"),)))
    first, second = format_dump(report).split("\n\n")
    assert first.splitlines() == [
        'greenlet 0x30 "mail" in thread 100 [suspended]:',
        "app.serve(...)",
        "\t/srv/app.serve.py:1",
        "created before attach",
    ]
    assert second.splitlines()[0] == 'greenlet 0x2000 "Greenlet" [suspended] {a: b}:'


def test_a_thread_without_python_frames_counts_too() -> None:
    text = format_counts(make_report(make_thread(stack=())))
    assert "1 @ 0x" in text
    assert "<no Python frames>" in text


@pytest.mark.checklist(86)
@pytest.mark.parametrize(("depth", "n_elided"), [(99, 0), (100, 0), (101, 1), (110, 10)])
def test_86_long_stacks_are_elided_in_the_middle(depth: int, n_elided: int) -> None:
    """Checklist 86: of 100 frames none is left out; of more, the fifty at each end are kept."""
    stack = make_stack(*(f"f{i}" for i in range(depth)))
    lines = format_dump(make_report(make_thread(stack=stack))).splitlines()[1:]
    frames = [line for line in lines if not line.startswith("\t")]
    expected = [f"f{i}(...)" for i in range(depth)]
    if n_elided:
        expected[50 : 50 + n_elided] = [f"...{n_elided} frames elided..."]
    assert frames == expected


@pytest.mark.checklist(87)
def test_87_creators_and_minutes() -> None:
    """Checklist 87: minutes of a wait from the first on; what created a thread or task is said,
    or that it was there before the attach. The main thread was created by none."""
    main = make_thread(state=IN_CALL, wait="read", waited_ns=MINUTE_NS - 1)
    worker = make_thread(
        "worker", 101, state=IN_CALL, wait="read", waited_ns=3 * MINUTE_NS, is_older=True
    )
    report = make_report(main, worker, make_task(is_older=True))
    first, second, third = format_dump(report).split("\n\n")
    assert first.splitlines()[0] == 'thread 100 "MainThread" [in a system call: read]:'
    assert first.splitlines()[-1] == "\t/srv/app.main.py:2"
    assert second.splitlines()[0] == 'thread 101 "worker" [in a system call: read, 3 minutes]:'
    assert second.splitlines()[-1] == "created before attach"
    assert third.splitlines() == [
        'task 0x1000 "Task-1" [suspended: sleep]:',
        "app.poll(...)",
        "\t/srv/app.poll.py:1",
        "created before attach",
    ]


@pytest.mark.checklist(87)
@pytest.mark.parametrize(
    ("functions", "creator"),
    [
        (["threading.Thread.start", "app.serve", "app.main"], "created by app.serve in thread 77"),
        (
            ["threading.Thread.start", "concurrent.futures.thread.submit", "app.ask"],
            "created by app.ask in thread 77",
        ),
        (["threading.Thread.start"], "created by threading.Thread.start in thread 77"),
        ([], "created by C code"),
    ],
)
def test_87_a_creator_is_the_function_that_wanted_the_thread(
    functions: list[str], creator: str
) -> None:
    """Checklist 87: not the function of the library that starts it."""
    worker = make_thread("worker", 101, creator=77, creation=make_stack(*functions))
    lines = format_dump(make_report(worker)).splitlines()
    assert creator in lines[-2:]


@pytest.mark.checklist(87)
@pytest.mark.parametrize(
    ("functions", "creator"),
    [
        (["asyncio.tasks.create_task", "app.serve", "app.main"], "app.serve"),
        (
            ["asyncio.base_events.create_task", "asyncio.streams.connection_made",
             "asyncio.events.Handle._run", "app.main"],
            "asyncio.streams.connection_made",
        ),
    ],
)  # fmt: skip
def test_87_a_task_names_its_creator_and_its_minutes(functions: list[str], creator: str) -> None:
    """Checklist 87: of what the event loop has created for itself, the loop's callback."""
    task = make_task(creator=77, creation=make_stack(*functions), waited_ns=2 * MINUTE_NS)
    lines = format_dump(make_report(task)).splitlines()
    assert lines[0] == 'task 0x1000 "Task-1" [suspended: sleep, 2 minutes]:'
    number = functions.index(creator) + 1
    assert lines[-2:] == [
        f"created by {creator} in thread 77",
        f"\t/srv/{creator}.py:{number}",
    ]


@pytest.mark.parametrize("is_first", [True, False])
def test_an_unknown_creation_is_not_said_to_be_before_the_attach(is_first: bool) -> None:
    report = make_report(make_thread(), make_task())
    assert format_dump(report, is_first=is_first).splitlines()[-1] == "creator not recorded"


def test_names_of_the_program_stay_on_their_line() -> None:
    stack = (Line("app.\nf", "/srv/\n.py", 1),)
    text = format_dump(make_report(make_thread("a\n\x1b[1m", stack=stack)))
    assert len(text.splitlines()) == 3
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("n_slices", "is_whole", "n_notes"), [(1, True, 0), (3, True, 1), (3, False, 2)]
)
def test_a_dump_in_slices_says_so(n_slices: int, is_whole: bool, n_notes: int) -> None:
    report = make_report(make_thread(), n_slices=n_slices)._replace(is_whole=is_whole)
    for text in (format_counts(report), format_dump(report)):
        notes = [line for line in text.splitlines() if line.startswith("# ")]
        assert len(notes) == n_notes
        assert all(note in text.splitlines()[-2:] for note in notes)
        assert not notes or notes[0].startswith("# This is not one moment:")
        assert not notes[1:] or "are missing" in notes[1]
