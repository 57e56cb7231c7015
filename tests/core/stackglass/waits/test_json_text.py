"""A report of waits as programs read it."""

from __future__ import annotations

import json

from harness.waits_talk import S, Wait, WaitsTalk
from stackglass.waits.json_text import format_json
from stackglass.waits.report import WaitingProcess, build_report

KEYS = [
    *("pid", "python", "command", "time_unix_ns"),
    *("has_earlier_waits", "is_deadlocked", "deadlocks", "possible_deadlocks", "threads"),
]
THREAD_KEYS = [
    *("tid", "name", "is_waiting", "is_deadlocked", "call", "lock", "holder", "is_holder_sure"),
    *(
        "holder_known_by",
        "waited_ns",
        "is_waited_at_least",
        "n_blocked",
        "is_running",
        "asleep_ns",
        "stack",
    ),
]


def test_it_has_exactly_the_documented_keys() -> None:
    talk = WaitsTalk()
    waits = [Wait(1, 1, 2, is_inside=True, stuck=2), Wait(2, 2, 1, 9.0, is_taken=True, stuck=2)]
    look = talk.look(waits, {3: "app.idle"}, {1: "one", 2: "two"})
    process = WaitingProcess(7, "python app.py", talk.ready, {3: S}, [1])
    report = build_report(look, look, talk.definitions, talk.locks, process)
    found = json.loads(format_json(report))
    assert list(found) == KEYS
    assert found["is_deadlocked"] is True
    assert found["deadlocks"] == [{"tids": [1, 2], "description": list(report.cycle_lines[0])}]
    assert found["possible_deadlocks"] == []
    one, two, three = found["threads"]
    assert list(one) == list(two) == list(three) == THREAD_KEYS
    assert one["lock"] == {
        "name": "app.LEFT",
        "kind": "Lock",
        "address": 0x1000,
        "made_at": None,
        "first_waited_for_at": None,
    }
    assert [one["holder"], one["is_holder_sure"], one["waited_ns"]] == [2, False, None]
    assert [two["holder"], two["is_holder_sure"], two["waited_ns"]] == [1, True, S]
    assert (one["is_waited_at_least"], two["is_waited_at_least"]) == (None, False)
    known_by = [each["holder_known_by"] for each in found["threads"]]
    assert known_by == ["with", "acquire", None]
    assert three["lock"] is three["holder"] is three["call"] is three["is_holder_sure"] is None
    assert three["stack"] == [{"function": "app.idle", "file": "app.idle.py", "line": 5}]
    assert [each["is_running"] for each in found["threads"]] == [True, False, False]
    assert [each["asleep_ns"] for each in found["threads"]] == [None, None, S]
    assert "\n" not in format_json(report, None)
    look = talk.look([Wait(1, 1, 2, stuck=1), Wait(2, 2, 1, is_taken=True, stuck=1)])
    found = json.loads(format_json(build_report(look, look, talk.definitions, talk.locks, process)))
    assert (found["is_deadlocked"], found["deadlocks"]) == (False, [])
    (possible,) = found["possible_deadlocks"]
    assert possible["tids"] == [1, 2]
    assert "took it last" in possible["description"][1]
    assert found["threads"][0]["holder_known_by"] == "lock"
