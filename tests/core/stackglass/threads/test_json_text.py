"""Threads and tasks for programs."""

from __future__ import annotations

import json

from harness.thread_reports import (
    make_greenlet,
    make_report,
    make_stack,
    make_task,
    make_thread,
)
from stackglass.threads.json_text import format_json


def test_keys_and_what_is_not_known() -> None:
    report = make_report(make_thread(task="busy", task_id=7), make_task(awaited_by=(7,)))
    found = json.loads(format_json(report))
    assert found["is_one_moment"] is True
    assert found["greenlets"] == []
    assert (found["longest_gil_hold_ns"], found["longest_gil_hold_cpu_ns"]) == (
        4_000_000,
        3_000_000,
    )
    assert found["threads"] == [
        {
            "tid": 100,
            "name": "MainThread",
            "is_daemon": None,
            "interpreter": 0,
            "state": "running",
            "waits_in": None,
            "waited_ns": None,
            "is_waited_at_least": None,
            "lock": None,
            "is_older_than_attach": False,
            "creator": None,
            "creation": None,
            "task": {"id": 7, "name": "busy"},
            "labels": {},
            "is_leaked": False,
            "stack": [
                {"function": "app.work", "file": "/srv/app.work.py", "line": 1},
                {"function": "app.main", "file": "/srv/app.main.py", "line": 2},
            ],
        }
    ]
    assert found["tasks"] == [
        {
            "id": 0x1000,
            "name": "Task-1",
            "state": "suspended",
            "tid": None,
            "awaits": "sleep",
            "awaits_tasks": [],
            "awaited_by": [7],
            "waited_ns": None,
            "is_older_than_attach": False,
            "creator": None,
            "creation": None,
            "labels": {},
            "is_leaked": False,
            "stack": [{"function": "app.poll", "file": "/srv/app.poll.py", "line": 1}],
        }
    ]


def test_creators_and_waits_of_tasks() -> None:
    created = make_task(creator=77, creation=make_stack("app.serve"), waited_ns=5)
    report = make_report(created, make_task(is_older=True))
    first, second = json.loads(format_json(report))["tasks"]
    assert (first["creator"], first["waited_ns"], first["is_older_than_attach"]) == (77, 5, False)
    assert first["creation"] == [{"function": "app.serve", "file": "/srv/app.serve.py", "line": 1}]
    assert (second["creation"], second["is_older_than_attach"]) == (None, True)


def test_greenlets_are_a_list_of_their_own() -> None:
    other = make_greenlet(tid=0, wait="socket.recv")
    found = json.loads(format_json(make_report(make_greenlet("mail"), other)))
    assert found["tasks"] == []
    assert found["greenlets"][0] == {
        "id": 0x2000,
        "name": "mail",
        "type": "Greenlet",
        "state": "suspended",
        "waits_in": None,
        "tid": 100,
        "labels": {},
        "stack": [{"function": "app.serve", "file": "/srv/app.serve.py", "line": 1}],
    }
    assert (found["greenlets"][1]["name"], found["greenlets"][1]["tid"]) == (None, None)
    assert found["greenlets"][1]["waits_in"] == "socket.recv"


def test_one_line_for_watching() -> None:
    assert "\n" not in format_json(make_report(make_thread()), None)
