"""``pytest --stackglass[=PROFILE,…]``: a profile file for each test, and a list of the costly ones.

A profile covers the call of a test, without its fixtures. With xdist the workers record, and their
reports carry the values that are listed. Without the option only this file is imported.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pluggy import Result

    from stackglass.pytest_plugin.recorder import ProfileRecorder

_DEFAULT_FOLDER = "profiles"
_DEFAULT_ROWS = 10
_EXAMPLE = "--stackglass=cpu"
_ATTRIBUTE = "stackglass"  # of a report; plain values, since xdist sends them as JSON


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("stackglass", "profiles of tests")
    group.addoption(
        "--stackglass",
        nargs="?",
        const="cpu",
        metavar="PROFILE,…",
        help="write a profile of each test: cpu (the default) or wall, heap, allocs, block, mutex, "
        "gil; before paths, give it with =",
    )
    group.addoption(
        "--stackglass-dir",
        default=_DEFAULT_FOLDER,
        metavar="DIR",
        help=f"folder of the files, in the root folder (default: {_DEFAULT_FOLDER})",
    )
    group.addoption(
        "--stackglass-rows",
        type=int,
        default=_DEFAULT_ROWS,
        metavar="N",
        help=f"tests to list at the end (default: {_DEFAULT_ROWS}; 0 = all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder, if the option is given. Raises UsageError for an unknown profile."""
    text = config.getoption("--stackglass")
    if text is None:
        return
    # Imported here, because pytest loads this file even if nothing is profiled.
    from stackglass.api.block_tables import read_names
    from stackglass.errors import UsageError
    from stackglass.pytest_plugin.recorder import ProfileRecorder

    try:
        names = read_names(text, "--stackglass")
    except UsageError as error:
        raise pytest.UsageError(f"{error}; give it after the paths, or as {_EXAMPLE}") from error
    folder = config.getoption("--stackglass-dir")
    # xdist's workers have the controller's root folder, but perhaps another working folder.
    profiles = ProfileRecorder(names, str(config.rootpath / folder))
    rows = config.getoption("--stackglass-rows")
    config.pluginmanager.register(_Recorder(profiles, folder, rows), "stackglass-recorder")


class _Recorder:
    """The hooks of a run with profiles."""

    def __init__(self, profiles: ProfileRecorder, folder: str, n_rows: int) -> None:
        self._profiles = profiles
        self._folder = folder
        self._n_rows = n_rows
        self._measured: list[dict[str, object]] = []
        self._last: dict[str, object] | None = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Record the test's own code."""
        self._profiles.begin(item.nodeid)
        yield
        self._last = self._profiles.end()._asdict()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, Result[pytest.TestReport], None]:
        """Put the measured values into the test's report."""
        outcome = yield
        if call.when == "call" and self._last is not None:
            setattr(outcome.get_result(), _ATTRIBUTE, self._last)
            self._last = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the values of a report, in the process that has the terminal."""
        measured = getattr(report, _ATTRIBUTE, None)
        if measured is not None:
            self._measured.append(measured)

    def pytest_unconfigure(self) -> None:
        """Release the engine."""
        self._profiles.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the slowest tests, and those that allocate most."""
        from stackglass.pytest_plugin.summary import format_sections

        for title, lines in format_sections(self._measured, self._folder, self._n_rows):
            terminalreporter.section(title)
            for line in lines:
                terminalreporter.write_line(line)
