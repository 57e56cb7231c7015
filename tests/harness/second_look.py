"""A second look at a test of a real process that has failed.

The result of such a test depends on more than the code: on the time of the kernel's tick, or on a
machine that stops for a second. In a run of eight thousand tests, one then fails without a fault,
and failures without a reason teach people to ignore failures. So the test is repeated at once:

    failed ─▶ passed five times     rare: the run continues, and shows the failure at its end
    failed ─▶ anything else         it has failed

A fault that shows in one run of three passes five times in a row once in eight, so most faults are
still found. More than MOST_RARE such tests in one run fail the run: then the machine or the code
has a problem. Other tests are never repeated, because only the code decides them. ``--first-look``
repeats none, for a search for causes.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.runner import runtestprotocol

N_REPEATS = 5
MOST_RARE = 4
LONGEST_S = 45.0
"""A longer test is not repeated: six times as long would exceed the time limit of a test."""
OF_PROCESSES = ("tests/conformance/", "tests/integration/", "tests/core/stackglass/native/")
"""Folders of tests that start programs and examine them."""
_PROPERTY = "failed at first"


def is_of_processes(item: pytest.Item) -> bool:
    """Whether the test examines real processes, so that more than the code decides it."""
    return item.nodeid.startswith(OF_PROCESSES) or item.get_closest_marker("attach") is not None


class SecondLook:
    """Plugin of workers, and of the process that prints."""

    def __init__(self) -> None:
        self._failures: dict[str, str] = {}

    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        if not is_of_processes(item):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in look(item, nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _PROPERTY:
                self._failures[report.nodeid] = str(value)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK and len(self._failures) > MOST_RARE:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._failures:
            return
        n, limit = len(self._failures), f"more than {MOST_RARE} fail the run"
        terminalreporter.section(f"failed at first, then passed {N_REPEATS} times: {n} ({limit})")
        for nodeid, failure in self._failures.items():
            terminalreporter.write_line(f"{nodeid}\n{failure}\n")


def look(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run the test, and repeat it if it failed. Returns the reports of the first run, or those of
    the last run if all repeats passed."""
    first = runtestprotocol(item, nextitem=nextitem, log=False)
    if not _has_failed(first) or sum(report.duration for report in first) > LONGEST_S:
        return first
    last = first
    for _ in range(N_REPEATS):
        last = _repeat(item)
        if _has_failed(last):
            return first
    failure = "\n".join(report.longreprtext for report in first if report.failed)
    for report in last:
        if report.when == "call":
            report.user_properties.append((_PROPERTY, failure))
    return last


def _repeat(item: pytest.Item) -> list[pytest.TestReport]:
    """Repeat the test with new fixtures, except the session's: a fixture may be the fault."""
    session: Any = item.session
    session._setupstate.teardown_exact(session)
    return runtestprotocol(item, nextitem=session, log=False)


def _has_failed(reports: list[pytest.TestReport]) -> bool:
    return any(report.failed for report in reports)
