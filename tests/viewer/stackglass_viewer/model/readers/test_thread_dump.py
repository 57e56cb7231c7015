"""Dumps of threads and tasks, as `stackglass threads --debug 2` prints them."""

from __future__ import annotations

import pytest

from harness.profile_rows import list_labels, list_stacks
from harness.thread_reports import (
    make_greenlet,
    make_report,
    make_stack,
    make_task,
    make_thread,
)
from stackglass.threads.go_text import format_dump
from stackglass.wire.thread_states import IN_CALL
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.recognition import recognise
from stackglass_viewer.model.readers.thread_dump import read_thread_dump

MINUTE_NS = 60 * 10**9


def test_what_the_command_prints_is_read_again() -> None:
    main = make_thread(labels=(("route", "/a"), ('k"], {x', "two } words\n")))
    worker = make_thread(
        '"], {a: b}:',
        101,
        state=IN_CALL,
        wait="read",
        waited_ns=3 * MINUTE_NS,
        creator=100,
        creation=make_stack("start"),
        task_id=77,
        task="fetch",
    )
    text = format_dump(make_report(main, worker, make_task()), is_first=False).encode()
    assert recognise(text) is FileKind.THREAD_DUMP
    profile = read_thread_dump(text)
    assert list_stacks(profile) == [*[["app.work:1", "app.main:2"]] * 2, ["app.poll:1"]]
    assert [t.name for t in profile.sample_types] == ["threads"]
    assert profile.samples.values.tolist() == [[1, 1, 1]]
    assert list_labels(profile) == [
        (0, "thread", "MainThread"),
        (0, "thread_id", 100),
        (0, "state", "running"),
        (0, 'k"], {x', "two } words\n"),
        (0, "route", "/a"),
        (1, "thread", '"], {a: b}:'),
        (1, "thread_id", 101),
        (1, "task", "fetch"),
        (1, "state", "in a system call: read"),
        (1, "minutes", 3),
        (1, "created by", "start"),
        (2, "task", "Task-1"),
        (2, "state", "suspended: sleep"),
    ]


def test_greenlets_have_names_and_threads() -> None:
    named, nameless = make_greenlet("a b] {c: d}", labels=(("k", "v"),)), make_greenlet(tid=0)
    text = format_dump(make_report(named, nameless), is_first=False).encode()
    assert recognise(text) is FileKind.THREAD_DUMP
    profile = read_thread_dump(text)
    assert list_stacks(profile) == [["app.serve:1"]] * 2
    assert list_labels(profile) == [
        (0, "greenlet", "a b] {c: d}"),
        (0, "thread_id", 100),
        (0, "state", "suspended"),
        (0, "k", "v"),
        (1, "greenlet", "Greenlet"),
        (1, "state", "suspended"),
    ]


def test_elided_frames_are_one() -> None:
    stack = make_stack(*(f"f{i}" for i in range(110)))
    profile = read_thread_dump(format_dump(make_report(make_thread(stack=stack))).encode())
    (names,) = list_stacks(profile)
    assert len(names) == 101
    assert names[50] == "<truncated>:0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'thread 7 "a [running]:\n', "lists none"),
        (b'thread 7 "a" [running:\nf(...)\n\ta.py:3\n', "line 1"),
        (b'thread 7 "a" [running] {x:}:\n', "line 1"),
        (b'thread 7 "\\x" [running]:\n', "line 1"),
    ],
)
def test_damage_is_said(text: bytes, reason: str) -> None:
    with pytest.raises(ContentError, match=reason):
        read_thread_dump(text)
