"""The Python processes that descend from one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stackglass_viewer.presenter.live.family import Family, is_notable, list_descendants
from stackglass_viewer.presenter.settings.view_state import ProcessRow

pytestmark = pytest.mark.gui


def row(pid: int, parent: int, reason: str = "") -> ProcessRow:
    return ProcessRow(
        pid=pid,
        python="3.13.0",
        command=f"python3 {pid}.py",
        owner="me",
        rss_bytes=1,
        is_attachable=not reason,
        reason=reason,
        parent_pid=parent,
    )


def test_children_and_theirs_descend_and_others_do_not() -> None:
    rows = [row(1, 0), row(2, 1), row(3, 2), row(4, 0), row(5, 4)]
    assert [each.pid for each in list_descendants([1], rows)] == [2, 3]
    assert [each.pid for each in list_descendants([4], rows)] == [5]
    assert [each.pid for each in list_descendants([2, 4], rows)] == [3, 5]
    assert list_descendants([9], rows) == []


def test_numbers_given_anew_end_the_way_up() -> None:
    assert list_descendants([1], [row(2, 3), row(3, 2)]) == []


def test_a_resource_tracker_is_followed_once_it_takes_cpu_time() -> None:
    tracker = replace(row(2, 1), role="resource tracker", cpu_ns=40_000_000)
    assert not is_notable(tracker)
    assert is_notable(replace(tracker, cpu_ns=2_000_000_000))
    assert is_notable(replace(tracker, role="child"))
    assert is_notable(row(3, 1))


def test_one_that_comes_to_notice_joins_then(qt: Any, wait_until: Any) -> None:
    tracker = replace(row(2, 1), role="resource tracker")
    busy = replace(tracker, cpu_ns=2_000_000_000)
    looks = [[tracker], [tracker], [tracker, row(3, 1)], [busy, row(3, 1)]]
    family = Family(1, lambda: looks.pop(0) if len(looks) > 1 else looks[0])
    joined: list[int] = []
    family.joined.connect(lambda each: joined.append(each.pid))
    family.start()
    family._timer.setInterval(1)
    wait_until(lambda: len(joined) == 2)
    family.leave()
    family.wait()
    assert joined == [3, 2]


def test_each_is_reported_once_and_again_after_it_was_gone(qt: Any, wait_until: Any) -> None:
    looks = [[row(2, 1)], [row(2, 1), row(3, 1, "not yet")], [row(3, 1)], [row(2, 1), row(3, 1)]]
    family = Family(1, lambda: looks.pop(0) if len(looks) > 1 else looks[0])
    joined: list[int] = []
    family.joined.connect(lambda each: joined.append(each.pid))
    family.start()
    family._timer.setInterval(1)
    wait_until(lambda: len(joined) == 3)
    family.leave()
    family.wait()
    assert joined == [2, 3, 2], "3 once it can be attached to; 2 is another process"


def test_a_list_that_cannot_be_made_is_said(qt: Any, wait_until: Any, heard: Any) -> None:
    def fail() -> list[ProcessRow]:
        raise OSError("no /proc")

    family = Family(1, fail)
    family.failed.connect(heard.hear)
    family.start()
    wait_until(lambda: heard.values)
    family.leave()
    family.wait()
    assert heard.last == "no /proc"


def test_an_error_without_a_text_is_said_by_its_name(qt: Any, wait_until: Any, heard: Any) -> None:
    def fail() -> list[ProcessRow]:
        raise MemoryError

    family = Family(1, fail)
    family.failed.connect(heard.hear)
    family.start()
    wait_until(lambda: heard.values)
    family.leave()
    family.wait()
    assert heard.last == "MemoryError"
