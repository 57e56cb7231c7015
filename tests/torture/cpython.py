"""CPython's own tests, file by file and many in one process, with Stackglass and without."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.pythons import Python
from harness.targets import die_with_parent
from torture.refusals import find_difference
from torture.visits import Visitor

FILES = (
    *("test_threading", "test_thread", "test_threadsignals", "test_asyncio", "test_signal"),
    *("test_gc", "test_subprocess", "test_concurrent_futures", "test_interpreters"),
    *("test__interpreters", "test__xxsubinterpreters", "test_fork1", "test_faulthandler"),
    *("test_tracemalloc", "test_socket", "test_ssl", "test_capi", "test_sys", "test_queue"),
    *("test_weakref", "test_generators", "test_coroutines", "test_mmap"),
    *("test_multiprocessing_fork",),
)
ATTACH_AFTER_S = 1.0
# A file that failed; if a single test did, also the last line of the traceback.
_FAILED_FILE = re.compile(
    r"^test (\S+) (?:failed|crashed)(?: -- Traceback.*\n(?:[ \t].*\n)+(.*))?", re.MULTILINE
)
_TESTS_FAILED = 2  # the test runner's exit status
# The test runner's last output after --timeout, and at an exit that takes two minutes.
_TIMED_OUT = re.compile(r"Timeout \(0:(10|02):00\)!")


class Outcome(NamedTuple):
    """Result of one run of CPython's test runner."""

    exit_status: int  # negative: the signal that ended it
    failed: tuple[str, ...]  # files and tests that failed, by name
    has_hung: bool  # killed here, after its time limit
    tail: str  # the last lines
    refusal: str  # of the attach or of a profile
    note: str  # what was recorded
    has_timed_out: bool = False  # ended by the test runner's own limit
    errors: tuple[tuple[str, str], ...] = ()  # file → its error; "" = several errors

    def is_flawless(self, known: Collection[str] = ()) -> bool:
        """Whether nothing failed, except for files that are expected to fail."""
        is_right = self.exit_status in (0, _TESTS_FAILED if known else 0)
        return is_right and not ({*self.failed} - {*known} or self.has_hung or self.has_timed_out)


def own_environment() -> dict[str, str]:
    """Return the environment without variables that lead to another Python's modules."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def list_files(python: Python, wanted: tuple[str, ...]) -> list[str]:
    """List the wanted files that this version has; none if its test package is missing."""
    code = "import os, test.libregrtest.main; print(os.path.dirname(test.__file__))"
    found = subprocess.run(
        [python.executable, "-c", code],
        env=own_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    folder = Path(found.stdout.strip() or "/nowhere")
    return [name for name in wanted if (folder / name).exists() or (folder / f"{name}.py").exists()]


def split_files(files: list[str], n_together: int, is_single_too: bool) -> Iterator[list[str]]:
    """Yield each file by itself, then groups for one process each. A single leftover runs once."""
    if is_single_too:
        yield from ([file] for file in files)
    for first in range(0, len(files), n_together):
        together = files[first : first + n_together]
        if len(together) > 1 or not is_single_too:
            yield together


def start_child() -> None:
    """Restore SIGINT in the child before exec: a background job of a script ignores it, and tests
    that interrupt themselves would then never end.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_tests(
    python: Python, files: list[str], profiles: tuple[str, ...], patience_s: float
) -> Outcome:
    """Run ``python -m test FILES`` in one process, under the given profiles."""
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        log, began_s = Path(folder) / "log", time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [python.executable, "-X", "faulthandler", "-m", "test", "--timeout=600", *files],
                cwd=folder,
                env=own_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=start_child,
                start_new_session=True,
            )
        visitor = Visitor(process.pid, profiles, ATTACH_AFTER_S) if profiles else None
        has_hung = False
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            has_hung = True
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if visitor is not None:
            visitor.close()
        text = log.read_text(errors="replace")
    errors = dict(_FAILED_FILE.findall(text))
    tests = re.findall(r"^(?:FAIL|ERROR): (\S+)", text, re.MULTILINE)
    return Outcome(
        process.returncode,
        tuple(sorted({*tests, *errors})),
        has_hung,
        "\n".join(text.splitlines()[-25:]),
        visitor.refusal if visitor else "",
        describe_visit(visitor, profiles, time.monotonic() - began_s) if visitor else "",
        _TIMED_OUT.search(text) is not None,
        tuple(errors.items()),
    )


def describe_visit(visitor: Visitor, profiles: tuple[str, ...], run_s: float) -> str:
    """Describe the seconds covered by the session, of the process's run, and what was recorded."""
    recorded = " ".join(profile for profile in profiles if profile in visitor.recorded)
    covered = f"{visitor.covered_s:.0f} of {run_s:.0f} s"
    counts = f"{visitor.n_samples} samples, {visitor.n_events} events"
    return f"{covered}, {counts}, {recorded} {visitor.last_words}".rstrip()


def list_known(python: Python, outcome: Outcome) -> dict[str, str]:
    """Map files that fail with Stackglass, as `refusals` expects, to the reason."""
    found = {name: find_difference(python.label, error) for name, error in outcome.errors}
    return {name: why for name, why in found.items() if why}


def compare_runs(alone: Outcome, visited: Outcome, known: Collection[str] = ()) -> list[str]:
    """List what is worse with Stackglass, or why that is not known; a line each."""
    problems = []
    if alone.has_timed_out or alone.has_hung:
        problems.append("void: it timed out alone")
    if visited.has_timed_out:
        problems.append("void: it timed out")
    if visited.has_hung and not alone.has_hung:
        problems.append("hung")
    if visited.exit_status < 0 and not visited.has_hung and alone.exit_status >= 0:
        problems.append(f"died of {signal.Signals(-visited.exit_status).name}")
    new = sorted({*visited.failed} - {*alone.failed, *known})
    problems += [f"{name} failed" for name in new]
    is_explained = bool(known) and visited.exit_status == _TESTS_FAILED
    if not problems and not is_explained and visited.exit_status != alone.exit_status:
        problems.append(f"exit status {visited.exit_status}, alone {alone.exit_status}")
    return problems
