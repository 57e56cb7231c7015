"""The specification's checklist: which tests prove a number, and whether they ran.

A test claims numbers with ``@pytest.mark.checklist(12, 14)``. In a run of all tests, or of all that
claim a number (``pytest -m checklist``), a promised number counts as proven only if a test that
claims it passed, at least once, and none failed: a test that is skipped on every Python proves
nothing, and the run fails.

    collected item ─ marker ─▶ user_properties ─ report (also a worker's) ─▶ outcomes by number
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

import pytest

from harness.mutants import CHECKOUT

PROMISED = tuple(range(1, 123))
WITHOUT_TEST = {
    4: "follows from 3 (the total is the CPU time that the kernel accounts) on a build with a GIL",
    27: "Go's ring buffer; here a double-buffered log, tested beside it",
    28: "as 27",
    29: "as 27",
    30: "as 27: the writer wakes by the clock",
    31: "as 27",
}
WITHOUT_MUTANT: dict[int, str] = {}
"""Numbers whose tests no mutant in ``tests/mutants`` names, and why."""
_PROPERTY = "checklist"
_LINE = "checklist claim:"


def find_numbers(item: pytest.Item) -> list[int]:
    """Return the numbers that a test claims. Raises UsageError for an unpromised number."""
    numbers: list[int] = []
    for mark in item.iter_markers("checklist"):
        if not mark.args or not set(mark.args) <= set(PROMISED):
            raise pytest.UsageError(f"{item.nodeid}: {mark.args} are not promised numbers")
        numbers += mark.args
    return numbers


class Checklist:
    """Plugin that collects claims in workers, and judges them in the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._outcomes: dict[int, Counter[str]] = {number: Counter() for number in PROMISED}
        self._is_listing = bool(config.getoption("--list-checklist"))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if numbers := find_numbers(item):
                item.user_properties.append((_PROPERTY, numbers))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._is_listing:
            for item in session.items:
                for number in find_numbers(item):
                    print(_LINE, number, item.nodeid.partition("[")[0])  # noqa: T201

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        is_passed = report.when == "call" and report.passed
        if not (is_passed or report.skipped or report.failed):
            return
        for name, value in report.user_properties:
            if name == _PROPERTY and isinstance(value, Iterable):
                for number in value:
                    self._outcomes[number][report.outcome] += 1

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK and self.list_unproven():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for number in self.list_unproven():
            seen = dict(self._outcomes[number]) or "no test ran"
            terminalreporter.write_line(f"checklist {number} is not proven: {seen}", red=True)

    def list_unproven(self) -> list[int]:
        """List promised numbers without a passed or with a failed test; none in a partial run."""
        if not self._is_whole():
            return []
        return [
            number
            for number, outcomes in self._outcomes.items()
            if number not in WITHOUT_TEST and (not outcomes["passed"] or outcomes["failed"])
        ]

    def _is_whole(self) -> bool:
        config = self._config
        if hasattr(config, "workerinput") or config.option.collectonly:
            return False
        return has_all_claims(config)


def has_all_claims(config: pytest.Config) -> bool:
    """Whether a run, or one of its workers, has all tests, or all tests that claim a number."""
    is_all = config.args in (config.getini("testpaths"), [str(CHECKOUT / "tests")])
    is_unfiltered = not config.option.keyword and config.option.markexpr in ("", "checklist")
    return is_all and is_unfiltered and not config.getoption("lf", False)


def list_claims(items: Iterable[pytest.Item]) -> dict[int, set[str]]:
    """Map each number to the tests that claim it."""
    claims: dict[int, set[str]] = {}
    for item in items:
        for number in find_numbers(item):
            claims.setdefault(number, set()).add(item.nodeid.partition("[")[0])
    return claims


def collect_claims() -> dict[int, set[str]]:
    """Do the same for all tests, although the run has only some of them; runs pytest once."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "--list-checklist"]
    done = subprocess.run(
        [*command, "-m", "checklist", "-p", "no:xdist", "-p", "no:cacheprovider"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    claims: dict[int, set[str]] = {}
    for line in done.stdout.splitlines():
        if line.startswith(_LINE):
            number, test = line[len(_LINE) :].split(maxsplit=1)
            claims.setdefault(int(number), set()).add(test)
    return claims
