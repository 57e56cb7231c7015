"""The short part of `make torture`, and that it notices what it is there for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from torture import cpython
from torture.cpython import Outcome, compare_runs, split_files
from torture.report import Report

from harness.matrix import PYTHONS, SOME, choose_pythons
from harness.pythons import Python

TESTS = Path(__file__).parents[1]
SHORT = ("cpu", "wall", "heap", "locks", "gil", "custom")
MOST_TRIES = 5
WELL = Outcome(0, (), False, "", "", "")


def run_torture(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "torture", *options],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.attach
@pytest.mark.timeout(900)
@choose_pythons(SOME[-1:], SOME[-2:])
def test_one_visit_of_each_profile_to_each_program(python: Python) -> None:
    chosen = [word for profile in SHORT for word in ("--profile", profile)]
    finished = run_torture("--part", "visits", "--python", python.label, "--turns", "1", *chosen)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.attach
@pytest.mark.timeout(900)
def test_a_file_of_cpythons_own_tests() -> None:
    candidates = [one for one in PYTHONS if cpython.list_files(one, ("test_thread",))]
    if not candidates:
        pytest.skip("no Python with its test package")
    label = candidates[-1].label
    for _ in range(MOST_TRIES):  # on a busy machine the file may end before the attach is made
        finished = run_torture("--part", "cpython", "--python", label, "--files", "test_thread")
        if " 1 skipped" not in finished.stdout:
            break
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert " samples" in finished.stdout


def test_every_file_runs_by_itself_and_with_others() -> None:
    """If it is only to run with others, the one that is left over runs, too."""
    files = ["a", "b", "c"]
    assert list(split_files(files, 2, True)) == [["a"], ["b"], ["c"], ["a", "b"]]
    assert list(split_files(files, 2, False)) == [["a", "b"], ["c"]]
    assert list(split_files(files[:1], 8, False)) == [["a"]]


def test_what_is_worse_with_us_is_found() -> None:
    assert compare_runs(WELL, WELL) == []
    assert compare_runs(WELL, WELL._replace(exit_status=-11)) == ["died of SIGSEGV"]
    assert compare_runs(WELL, WELL._replace(exit_status=-9, has_hung=True)) == ["hung"]
    failed = WELL._replace(exit_status=2, failed=("test_a", "test_b"))
    assert compare_runs(failed._replace(failed=("test_a",)), failed) == ["test_b failed"]
    assert compare_runs(failed, failed) == []


def test_a_run_that_timed_out_proves_nothing() -> None:
    late = WELL._replace(exit_status=1, has_timed_out=True)
    assert compare_runs(late, late) == ["void: it timed out alone", "void: it timed out"]
    assert compare_runs(WELL._replace(has_hung=True), WELL)[0] == "void: it timed out alone"
    assert compare_runs(WELL, late)[0] == "void: it timed out"


def test_a_test_runner_is_read_and_can_be_interrupted(tmp_path: Path) -> None:
    """Its time limit is noticed, and SIGINT is not ignored where it is ignored here."""
    runner = tmp_path / "runner"
    runner.write_text(
        "#!/bin/sh\ngrep SigIgn /proc/self/status\necho 'Timeout (0:10:00)!'\nexit 1\n"
    )
    runner.chmod(0o755)
    python = PYTHONS[0]._replace(executable=str(runner))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        outcome = cpython.run_tests(python, ["test_any"], (), 60.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.has_timed_out
    ignored = int(outcome.tail.split()[1], 16)
    assert not ignored >> (signal.SIGINT - 1) & 1


def test_a_refusal_is_a_failure_unless_it_is_expected() -> None:
    report = Report()
    report.refuse("3.13.0-pyenv soak.py heap", "process 7 has ended")
    assert report.finish() == 1
    report = Report()
    report.add("one", [], "")
    report.refuse("3.13.0-pyenv test_gc", "process 7 has ended")
    report.refuse("3.13.0-pyenv test_gc", "there is no process 7: `stackglass ps` lists them")
    assert report.finish() == 0
    report.refuse("3.13.0-pyenv test_gc", "the GIL is not where it is expected")
    assert report.finish() == 1


def test_the_exit_status_says_whether_all_went_well() -> None:
    report = Report()
    assert report.finish() == 1, "nothing was run"
    report.add("one", [], "")
    assert report.finish() == 0
    report.skip("two", "there is no such Python")
    assert report.finish() == 0
    report.add("three", ["hung"], "")
    assert report.finish() == 1


def test_a_flawless_run_needs_no_comparison() -> None:
    assert WELL.is_flawless()
    failed = WELL._replace(exit_status=2, failed=("test_a",))
    assert not failed.is_flawless()
    assert failed.is_flawless({"test_a": "why"})
    assert not failed.is_flawless({"test_b": "why"})
    assert not failed._replace(exit_status=-11).is_flawless({"test_a": "why"})
    assert not failed._replace(has_timed_out=True).is_flawless({"test_a": "why"})
    assert not WELL._replace(exit_status=2).is_flawless()
    assert not WELL._replace(exit_status=-9, has_hung=True).is_flawless()
    assert not WELL._replace(has_timed_out=True).is_flawless()


SEVERAL_THREADS = "RuntimeError: interpreter has more than one thread"
RUNNER = f"""\
#!/bin/sh
cat <<'END'
0:00:02 load avg: 8.99 [2/3] test_one
test test_one failed -- Traceback (most recent call last):
  File "test_one.py", line 247, in test_main
    self.assertTrue(main.is_running())
                    ^^^^^^^^^^^^^^^^^
{SEVERAL_THREADS}

0:00:06 load avg: 9.31 [3/3/1] test_two -- test_one failed (1 error)
test test_two failed -- multiple errors occurred; run in verbose mode for details
END
exit 2
"""


def test_a_file_that_failed_is_named(tmp_path: Path) -> None:
    """Also where the run alone fails as well, in another file: the exit status is the same."""
    runner = tmp_path / "runner"
    runner.write_text(RUNNER)
    runner.chmod(0o755)
    python = PYTHONS[0]._replace(executable=str(runner), version="3.11.7", source="pyenv")
    outcome = cpython.run_tests(python, ["test_any"], (), 60.0)
    assert outcome.failed == ("test_one", "test_two")
    assert outcome.errors == (("test_one", SEVERAL_THREADS), ("test_two", ""))
    known = cpython.list_known(python, outcome)
    assert list(known) == ["test_one"]
    alone = WELL._replace(exit_status=2, failed=("test_three",))
    assert compare_runs(alone, outcome, known) == ["test_two failed"]
    assert not cpython.list_known(python._replace(version="3.12.1"), outcome)


def test_an_expected_difference_is_none() -> None:
    visited = WELL._replace(exit_status=2, failed=("test_one",))
    assert compare_runs(WELL, visited, {"test_one": "why"}) == []
    assert compare_runs(WELL, visited) == ["test_one failed"]
    assert compare_runs(WELL, visited._replace(exit_status=-11), {"test_one": "why"}) == [
        "died of SIGSEGV"
    ]
