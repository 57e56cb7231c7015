"""Status reports of a session: exact where recent, one per second before that."""

from __future__ import annotations

import pytest

from harness.counted_work import count_lines
from stackglass_viewer.model.live import history
from stackglass_viewer.model.live.history import LiveHistory
from stackglass_viewer.model.proto.wire_pb2 import Ready, Status

TENTH_NS = 100_000_000
START_NS = 50_000_000_000


def start() -> LiveHistory:
    made = LiveHistory(0)
    made.start(Ready(time_unix_ns=10**18, time_mono_ns=START_NS))
    return made


def report(made: LiveHistory, begin: int, end: int) -> None:
    """Add a report each tenth of a second, at which one more sample was lost."""
    for tenth in range(begin, end):
        status = Status(
            time_mono_ns=START_NS + tenth * TENTH_NS,
            n_lost=tenth,
            process_cpu_ns=tenth * TENTH_NS,
            cpu_hz=100,
        )
        made.add_status(status)


def test_old_reports_are_kept_one_per_second() -> None:
    made = start()
    report(made, 0, 3000)
    assert made.latest == 29_990
    assert made.count_lost(0, 29_990) == 2999
    assert made.count_lost(29_000, 29_050) == 5  # of the last 90 s: each tenth of a second
    assert made.count_lost(10_000, 10_050) == 0
    assert made.count_lost(10_000, 10_150) == 10
    assert made.weigh_lost(10_000, 10_200, 5, TENTH_NS) == 5 * 10_000_000


def test_reports_count_from_the_last_clear() -> None:
    made = start()
    report(made, 0, 2000)
    made.clear(19_990)
    assert made.count_lost(0, 19_990) == 0
    report(made, 2000, 4000)
    assert made.count_lost(0, 39_990) == 3999 - 1999


def test_too_many_reports_become_fewer_in_the_older_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_MAX_POINTS", 10)
    made = start()
    report(made, 0, 900 + 10 * 10 + 2)
    assert made.count_lost(0, 100) == 0  # 1 s was dropped, 0 s counts for it
    assert made.count_lost(100, 200) == 20
    assert made.count_lost(800, 900) == 10
    assert made.count_lost(0, 10_010) == 1001


def test_a_report_takes_the_same_number_of_steps_after_an_hour() -> None:
    made = start()
    report(made, 0, 100)
    n_early = count_lines(lambda: report(made, 100, 200))
    report(made, 200, 36_000)
    assert count_lines(lambda: report(made, 36_000, 36_100)) < n_early + 100 * 10
