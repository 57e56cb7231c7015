"""Tabs that read the data of a session."""

from __future__ import annotations

from harness.heap_talk import HeapTalk, add_sample
from stackglass_viewer.model.live.view import CPU
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.live.data_users import DataUsers


def sum_cpu(live: LiveProfile) -> int:
    return int(live.snapshot(None, None, CPU).values.total[0])


def test_the_last_tab_to_leave_empties_the_data() -> None:
    talk = HeapTalk()
    talk.define((1, 1))
    add_sample(talk.live, 10)
    users = DataUsers(talk.live)
    users.join()
    users.leave()
    assert sum_cpu(talk.live) == 10
    users.leave()
    assert sum_cpu(talk.live) == 0
    assert len(talk.live.list_definitions().node_parent) <= 2  # the root, and lost samples
