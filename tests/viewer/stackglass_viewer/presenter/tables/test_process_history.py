"""History of processes: shares of the CPU from two looks, and no line across two processes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.presenter.tables.process_history import ProcessHistory
from stackglass_viewer.presenter.tables.process_model import (
    HISTORY_ROLE,
    SORT_ROLE,
    ProcessColumn,
    ProcessModel,
)

S = 10**9
JOB = ProcessRow(7, "3.13.0", "job.py", "me", 1000, True, "", cpu_ns=5 * S, seen_ns=100 * S)
LATER = replace(JOB, rss_bytes=2000, cpu_ns=6 * S, seen_ns=102 * S)


def test_the_share_is_of_the_time_between_two_looks() -> None:
    history = ProcessHistory()
    history.add([JOB])
    assert history.cpu_share(7) is None
    history.add([LATER])
    assert history.cpu_share(7) == pytest.approx(0.5)
    assert history.list_memory(7) == (1000, 2000)
    history.add([LATER])  # the same look once more
    assert history.list_cpu(7) == (0.5,)


def test_another_process_with_the_same_pid_starts_anew() -> None:
    for other in (replace(LATER, command="other.py"), replace(LATER, cpu_ns=0)):
        history = ProcessHistory()
        history.add([JOB])
        history.add([other])
        assert history.cpu_share(7) is None
        assert history.list_memory(7) == (2000,)


def test_what_has_ended_is_forgotten_and_the_rest_is_bounded() -> None:
    history = ProcessHistory()
    for look in range(100):
        history.add([replace(JOB, seen_ns=JOB.seen_ns + look * S)])
    assert len(history.list_cpu(7)) == len(history.list_memory(7)) == 30
    history.add([])
    assert history.list_memory(7) == ()


def test_the_table_shows_and_sorts_by_the_share() -> None:
    model = ProcessModel()
    model.set_rows([JOB])
    cell = model.index(0, ProcessColumn.CPU)
    assert (cell.data(), cell.data(SORT_ROLE)) == ("–", -1.0)
    model.set_rows([LATER])
    assert (cell.data(), cell.data(SORT_ROLE)) == ("50.0%", pytest.approx(0.5))
    assert cell.data(HISTORY_ROLE) == (0.5,)
    assert model.index(0, ProcessColumn.MEMORY).data(HISTORY_ROLE) == (1000, 2000)
    assert model.index(0, ProcessColumn.OWNER).data(HISTORY_ROLE) == ()


def test_the_tip_of_a_command_has_no_unsafe_letters() -> None:
    model = ProcessModel()
    model.set_rows([ProcessRow(7, "3.13", "python3 a\nb\u202e", "me", 1, True, "")])
    tip = model.index(0, ProcessColumn.COMMAND).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "python3 a\ufffdb\ufffd"
