"""Rules that every test keeps, and the fixtures that any of them may use."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from harness import leaks
from harness.golden import Golden
from harness.pythons import Pythons, describe_pythons, find_pythons
from harness.report import Table

TABLES = pytest.StashKey[dict[str, Table]]()

# Tests show no window. Set before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what tests see into tests/golden/ instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TABLES] = {}


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for table in config.stash[TABLES].values():
        terminalreporter.section(table.title)
        for line in table.format_lines():
            terminalreporter.write_line(line)


def pytest_report_header() -> list[str]:
    return describe_pythons()


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that leaves a thread or a socket behind fails.

    Fixtures that live longer than a test (an application, a server) are set up before this one
    and so are no leak.
    """
    threads, sockets = leaks.list_threads(), leaks.list_sockets()
    yield
    left = leaks.find_leaks(threads, sockets)
    if left:
        pytest.fail(f"{request.node.name} left behind: {', '.join(left)}", pytrace=False)


@pytest.fixture(scope="session")
def pythons() -> Pythons:
    """The interpreters of this machine, and why others are missing."""
    return find_pythons()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares with, or with ``--update-golden`` writes, files of ``tests/golden/``."""
    return Golden(is_updating=request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> dict[str, Table]:
    """Tables by key; what is put here is printed at the end of the run."""
    return request.config.stash[TABLES]
