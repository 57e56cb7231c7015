"""Runs programs under every profile at a high rate, and compares them with runs without Stackglass.

    make torture                                     all parts on every Python, an hour or more
    make torture TORTURE="--part cpython --python 3.13 --files test_threading,test_gc"
    make torture TORTURE="--part visits --seconds 30"
    make torture TORTURE="--profile cpu --profile native"

Parts: ``visits`` (a hundred attach and detach of each profile in turn, in programs with threads,
forks, interpreters, labels and profiles of their own), ``libraries`` (the same with gevent,
greenlet, uvloop and numpy), ``limits`` (under RLIMIT_AS, RLIMIT_NOFILE, small stacks, blocked
signals), ``filters`` (under seccomp), ``floods`` (signals and stops without end) and ``cpython``
(CPython's own tests, by file, and many in one process).

Prints a line for each run, and at the end skipped runs and problems. A refused attach or profile is
a problem, unless `refusals` expects it. The exit status is 0 only without problems.
"""

from __future__ import annotations

import argparse

from harness.pythons import Python, pythons_with_gil
from torture import cpython, programs
from torture.report import Report
from torture.visits import CUSTOM, PROFILES

VISITED_PARTS = ("visits", "libraries", "limits", "filters", "floods")
PARTS = (*VISITED_PARTS, "cpython")
FILE_PATIENCE_S = 600.0
MORE_PATIENCE_S = 120.0  # for each further file in a process
N_TOGETHER = 8  # files that share a process, if not given


def main() -> int:
    options = read_options()
    report = Report()
    for python in choose_pythons(options.python):
        for part in (one for one in VISITED_PARTS if one in options.part):
            for run in programs.list_runs(part, python):
                if options.program in run.program:
                    chosen = tuple(one for one in run.profiles if one in options.profile)
                    programs.visit(python, run, chosen, (options.turns, options.seconds), report)
        if "cpython" in options.part:
            run_cpython(python, options, report)
    return report.finish()


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--python", default="", help="3.13, or a label: only these")
    parser.add_argument("--program", default="", help="part of its path: only these")
    parser.add_argument("--profile", action="append", choices=(*PROFILES, CUSTOM))
    parser.add_argument("--turns", type=int, default=100, help="attach and detach of a profile")
    parser.add_argument("--seconds", type=float, default=60.0, help="at most, for a profile")
    parser.add_argument("--files", default=",".join(cpython.FILES), help="CPython's, by commas")
    parser.add_argument("--together", type=int, default=N_TOGETHER, help="files in one process")
    parser.add_argument("--only-together", action="store_true", help="no file by itself")
    options = parser.parse_args()
    options.part = options.part or list(PARTS)
    options.profile = options.profile or [*PROFILES, CUSTOM]
    return options


def choose_pythons(wanted: str) -> list[Python]:
    chosen = [one for one in pythons_with_gil() if one.label.startswith(wanted)]
    if not chosen:
        raise SystemExit(f"no Python {wanted} here")
    return chosen


def run_cpython(python: Python, options: argparse.Namespace, report: Report) -> None:
    found = cpython.list_files(python, tuple(options.files.split(",")))
    if not found:
        report.skip(f"{python.label} CPython's tests", "it has none of these files")
    profiles = tuple(one for one in PROFILES if one in options.profile)
    for files in cpython.split_files(found, options.together, not options.only_together):
        name = f"{python.label} {' '.join(files)}"
        patience_s = FILE_PATIENCE_S + MORE_PATIENCE_S * len(files)
        visited = cpython.run_tests(python, files, profiles, patience_s)
        problems, known = [], cpython.list_known(python, visited)
        if not visited.is_flawless(known):  # otherwise no comparison is needed
            alone = cpython.run_tests(python, files, (), patience_s)
            problems = cpython.compare_runs(alone, visited, known)
        if visited.refusal and not problems:
            report.refuse(name, visited.refusal)
        else:
            notes = [f"{file} failed: {why}" for file, why in known.items()]
            report.add(name, problems, "; ".join([visited.note, *notes]), visited.tail)


if __name__ == "__main__":
    raise SystemExit(main())
