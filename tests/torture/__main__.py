"""Programs under every profile at a high rate, beside the same programs without us.

    make torture                                     all parts on every Python, an hour or more
    make torture TORTURE="--part cpython --python 3.13 --files test_threading,test_gc"
    make torture TORTURE="--part visits --seconds 30"

Parts: ``visits`` (a hundred attach and detach of each profile in turn, in programs with threads,
forks and interpreters), ``limits`` (the same under RLIMIT_AS, RLIMIT_NOFILE, small stacks and
blocked signals) and ``cpython`` (CPython's own tests, by file, and many in one process).

Prints a line for each run, and at the end what was skipped and what went wrong. The exit status is
0 only if nothing went wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from harness.pythons import Python, pythons_with_gil
from torture import cpython, programs
from torture.report import Report

PARTS = ("visits", "limits", "cpython")
FILE_PATIENCE_S = 900.0
N_TOGETHER = 8  # files that share a process


def main() -> int:
    options = read_options()
    report = Report()
    for python in choose_pythons(options.python):
        if "visits" in options.part:
            for program in programs.PROGRAMS:
                programs.visit(python, program, options.turns, options.seconds, report)
        if "limits" in options.part:
            for limit in programs.LIMITS:
                programs.visit_limited(python, limit, options.turns, options.seconds, report)
        if "cpython" in options.part:
            run_cpython(python, options.files, report)
    return report.finish()


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--python", default="", help="3.13, or a label: only these")
    parser.add_argument("--turns", type=int, default=100, help="attach and detach of a profile")
    parser.add_argument("--seconds", type=float, default=60.0, help="at most, for a profile")
    parser.add_argument("--files", default=",".join(cpython.FILES), help="CPython's, by commas")
    options = parser.parse_args()
    options.part = options.part or list(PARTS)
    return options


def choose_pythons(wanted: str) -> list[Python]:
    chosen = [one for one in pythons_with_gil() if one.label.startswith(wanted)]
    if not chosen:
        raise SystemExit(f"no Python {wanted} here")
    return chosen


def split(files: list[str]) -> Iterator[list[str]]:
    """Each by itself, and then many in one process."""
    yield from ([file] for file in files)
    for first in range(0, len(files), N_TOGETHER):
        if len(files[first : first + N_TOGETHER]) > 1:
            yield files[first : first + N_TOGETHER]


def run_cpython(python: Python, wanted: str, report: Report) -> None:
    found = cpython.list_files(python, tuple(wanted.split(",")))
    if not found:
        report.skip(f"{python.label} CPython's tests", "it has none of these files")
    for files in split(found):
        name = f"{python.label} {' '.join(files)}"
        alone = cpython.run_tests(python, files, False, FILE_PATIENCE_S)
        visited = cpython.run_tests(python, files, True, FILE_PATIENCE_S)
        if visited.refusal:
            report.skip(name, visited.refusal)
            continue
        problems = cpython.compare_runs(alone, visited)
        report.add(name, problems, f"{visited.n_samples} samples", visited.tail)


if __name__ == "__main__":
    raise SystemExit(main())
