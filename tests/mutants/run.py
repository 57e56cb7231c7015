"""Runs mutants: does the named test notice each deliberate fault? (harness/mutants.py)

    make mutants                all of them
    make mutants M=name         one, or several separated by commas
    make mutants JOBS=4         so many at a time (default: as many as there are processors)
    tests/mutants/run.py --apply    only whether each finds its place; nothing is built

::

    mutant ─▶ place ─▶ compile, link ─▶ its tests ── one fails ─▶ that one without the fault
                │             │             │                        │ passes: killed
          does not apply   does not      none fails: survives        │ fails once: a flake; the
                           compile                                   │   fault must fail it again
                                                                     ▼ fails twice: proves nothing

Each job has a copy of the checkout below build/mutants and a build of its own
(harness/mutant_tree.py). The run fails unless every mutant was killed. Output of the others:
build/mutants/NAME.log.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import enum
import os
import queue
import re
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.mutant_tree import PATIENCE_S, Tree
from harness.mutants import (
    CHECKOUT,
    Mutant,
    MutantError,
    find_place,
    list_mutants,
    mutate,
    read_sources,
)

SCRATCH = CHECKOUT / "build" / "mutants"
FAILED = 1  # pytest: tests ran, and some failed
_OUTCOME = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
# An exception's own line: the source above it may name others.
_HANG = re.compile(r"^E .*(?:TimeoutExpired:|from pytest-timeout|Timeout >\d)", re.MULTILINE)
_CRASH = re.compile(
    r"exit code -(?:4|6|7|8|11)\b|SIG(?:SEGV|ABRT|BUS|FPE|ILL)\b|Segmentation fault|Fatal Python"
)


class Outcome(enum.Enum):
    """What became of a mutant."""

    KILLED = "killed"
    CRASH = "killed by a crash"
    TIMEOUT = "killed by a timeout"
    NOT_APPLIED = "DOES NOT APPLY"
    NOT_COMPILED = "DOES NOT COMPILE"
    SURVIVES = "SURVIVES"
    SKIPPED = "ITS TESTS WERE SKIPPED"
    UNDECLARED = "HANGS, AND DOES NOT SAY SO"
    UNPROVEN = "ITS TEST FAILS WITHOUT THE FAULT"

    @property
    def is_killed(self) -> bool:
        return self in (Outcome.KILLED, Outcome.CRASH, Outcome.TIMEOUT)


@dataclasses.dataclass
class Result:
    mutant: Mutant
    outcome: Outcome
    test: str = ""  # the one that failed first; "" = none has a name
    output: str = ""
    seconds: float = 0.0

    def describe(self) -> str:
        by = self.test.rpartition("/")[2]
        return f"{self.mutant.name:42} {self.seconds:5.0f} s  {self.outcome.value}  {by}".rstrip()


def judge(mutant: Mutant, tree: Tree, tests: tuple[str, ...]) -> Result:
    """Apply the mutant in a tree and run tests; afterwards the tree is as before."""
    began = time.monotonic()
    try:
        path, text = mutate(mutant, read_sources(tree.root))
    except MutantError as error:
        return Result(mutant, Outcome.NOT_APPLIED, output=str(error))
    whole = path.read_text(encoding="utf-8")
    try:
        path.write_text(text, encoding="utf-8")
        if problem := tree.compile_changed(path):
            return Result(mutant, Outcome.NOT_COMPILED, output=problem)
        status, output = tree.run_tests("-x", *tests)
    finally:
        path.write_text(whole, encoding="utf-8")
        tree.restore_libraries()
    failed = _OUTCOME.findall(output)
    return Result(
        *(mutant, classify(status, output, hangs=mutant.hangs), failed[0] if failed else ""),
        *(output, time.monotonic() - began),
    )


def classify(status: int | None, output: str, *, hangs: bool) -> Outcome:
    """From pytest's exit status (None = it did not end) and its output."""
    if status is None or (status == FAILED and _HANG.search(output)):
        return Outcome.TIMEOUT if hangs else Outcome.UNDECLARED
    if status < 0 or (status == FAILED and _CRASH.search(output)):
        return Outcome.CRASH
    if status == FAILED:
        return Outcome.KILLED
    is_any_passed = re.search(r"\b[1-9]\d* passed", output) is not None
    is_skipped = re.search(r"\b\d+ skipped", output) is not None
    return Outcome.SKIPPED if is_skipped and not is_any_passed else Outcome.SURVIVES


def find_failing(tests: set[str], tree: Tree, n_jobs: int) -> tuple[set[str], set[str]]:
    """The tests that fail without a fault: those that do so once of twice, and twice.

    First all together, then those that failed one by one. Raises RuntimeError if they cannot run.
    """
    if not tests:
        return set(), set()
    workers = ("-n", str(n_jobs + 1), "--max-worker-restart", "0")  # as the Makefile has it
    status, output = tree.run_tests(*workers, *sorted(tests), patience_s=PATIENCE_S * len(tests))
    if status == 0:
        return set(), set()
    once = set(_OUTCOME.findall(output)) & tests or tests  # a crash of pytest names none
    twice = set()
    for test in sorted(once):
        status, output = tree.run_tests(test)
        if status != 0:
            twice.add(test)
            print(output, flush=True)
    return once - twice, twice


def confirm(results: list[Result], tree: Tree, n_jobs: int) -> None:
    """Run the tests that failed without a fault; change the outcome where one fails then, too.

    A test that fails once of twice is a flake, and has to fail with its mutant a second time.
    """
    by_test = {result.test or result.mutant.tests[0] for result in results}
    print(f"without a fault: {len(by_test)} tests", flush=True)
    flaky, broken = find_failing(by_test, tree, n_jobs)
    for result in results:
        test = result.test or result.mutant.tests[0]
        if test in broken:
            result.outcome = Outcome.UNPROVEN
        elif test in flaky:
            print(f"flaky: {test}", flush=True)
            again = judge(result.mutant, tree, (test,))
            result.outcome, result.output = again.outcome, again.output


def run_all(mutants: list[Mutant], n_jobs: int) -> bool:
    """Whether every mutant was killed."""
    trees: queue.SimpleQueue[Tree] = queue.SimpleQueue()
    for number in range(n_jobs):
        trees.put(Tree(SCRATCH / str(number)))
    printing = threading.Lock()

    def run_one(mutant: Mutant) -> Result:
        tree = trees.get()
        try:
            result = judge(mutant, tree, mutant.tests)
        finally:
            trees.put(tree)
        with printing:
            print(result.describe(), flush=True)
        return result

    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        results = list(pool.map(run_one, mutants))
    confirm([result for result in results if result.outcome.is_killed], trees.get(), n_jobs)
    return report(results)


def report(results: list[Result]) -> bool:
    """Print the table, the worst last; keep the output of what was not killed."""
    print()
    for result in sorted(results, key=lambda result: not result.outcome.is_killed):
        print(result.describe())
        if not result.outcome.is_killed:
            log = SCRATCH / f"{result.mutant.name}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(result.output, encoding="utf-8")
            print(f"    {result.mutant.why}\n    {log}")
    n_killed = sum(result.outcome.is_killed for result in results)
    print(f"{n_killed} of {len(results)} mutants killed")
    return n_killed == len(results)


def apply_all(mutants: list[Mutant]) -> bool:
    """Whether every mutant finds its place in the checkout."""
    n_wrong = 0
    sources = read_sources()
    for mutant in mutants:
        try:
            print(f"{mutant.name:42} {find_place(mutant, sources).path.relative_to(CHECKOUT)}")
        except MutantError as error:
            n_wrong += 1
            print(error)
    print(f"{len(mutants) - n_wrong} of {len(mutants)} mutants apply")
    return not n_wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="mutants; none = all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--apply", action="store_true", help="only look for their places")
    arguments = parser.parse_args()
    wanted = {name for names in arguments.names for name in names.split(",")}
    mutants = [one for one in list_mutants() if not wanted or one.name in wanted]
    if unknown := wanted - {mutant.name for mutant in mutants}:
        parser.error(f"there are no mutants {sorted(unknown)}")
    if arguments.apply:
        return 0 if apply_all(mutants) else 1
    return 0 if run_all(mutants, max(1, min(arguments.jobs, len(mutants)))) else 1


if __name__ == "__main__":
    sys.exit(main())
