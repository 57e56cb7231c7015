"""Rules that every test keeps, and the fixtures that any of them may use."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from harness import leaks
from harness.checklist import Checklist
from harness.golden import Golden
from harness.matrix import split_items
from harness.pythons import CHECKOUT, Pythons, describe_pythons, find_pythons
from harness.report import Table
from harness.second_look import SecondLook
from harness.workers import Scheduling, Worker, read_tables

TABLES = pytest.StashKey[dict[str, Table]]()

# Tests show no window. Set before anything imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A run starts thousands of Pythons, and a short one compiles for most of its life. Where the
# environment forbids bytecode beside the sources, they share it in the build folder.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(CHECKOUT / "build/bytecode"))
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"]
    sys.dont_write_bytecode = False

# Timing decides no test: making and trying an example takes as long as it takes.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Examples that change with each run find faults; in CI they would blame the wrong change for them.
settings.register_profile("same", settings.get_profile("patient"), derandomize=True)
settings.load_profile("same" if os.environ.get("CI") else "patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what tests see into tests/golden/ instead of comparing",
    )
    parser.addoption(
        "--list-checklist",
        action="store_true",
        help="print which tests claim which number of the checklist",
    )
    parser.addoption(
        "--all-pythons",
        action="store_true",
        help="every case on every Python, not each of both at least once (harness/matrix.py)",
    )
    parser.addoption(
        "--first-look",
        action="store_true",
        help="a test that fails is not repeated (harness/second_look.py)",
    )


def pytest_configure(config: pytest.Config) -> None:
    tables = config.stash[TABLES] = {}
    config.pluginmanager.register(Checklist(config))
    if not config.getoption("--first-look"):
        config.pluginmanager.register(SecondLook())
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Worker(config, tables))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without Python's garbage collector: what is made here stays to the end of
    the run, and each of some 25 full collections would go through all of it. Then collect once, so
    that no fault of an import is hidden, and freeze the rest for the collections of the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``--all-pythons`` runs."""
    if config.getoption("--all-pythons"):
        return
    items[:], left_out = split_items(items)
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended. What it would have printed is printed here."""
    node.config.stash[TABLES] |= read_tables(getattr(node, "workeroutput", {}))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for table in config.stash[TABLES].values():
        if table.is_listing and not config.getoption("--list-checklist"):
            continue
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
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of the test's own for sockets. Not in ``tmp_path``: a socket's path is 107 bytes at
    most."""
    with tempfile.TemporaryDirectory(prefix="runtime-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares with, or with ``--update-golden`` writes, files of ``tests/golden/``."""
    return Golden(is_updating=request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> dict[str, Table]:
    """Tables by key; what is put here is printed at the end of the run."""
    return request.config.stash[TABLES]
