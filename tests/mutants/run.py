"""Runs mutants: does the named test notice each deliberate fault? (harness/mutants.py)

    make mutants                all of them
    make mutants M=name         one, or several separated by commas
    make mutants JOBS=4         so many at a time (default: as many as there are processors)

Each worker has a copy of the checkout below build/mutants and a build of its own. First the named
tests run there without a fault and must succeed. Then for each mutant the changed file is compiled,
the extension linked, and the tests run; the run fails if a mutant does not apply, does not
compile, survives, or hangs without saying so.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.mutants import CHECKOUT, Mutant, MutantError, list_mutants, mutate

SCRATCH = CHECKOUT / "build" / "mutants"
SHARED = (".venv", "build/pythons", "build/numpy")
PATIENCE_S = 420.0
FAILED = 1  # pytest: tests ran, and some failed
_HANG = re.compile(r"TimeoutExpired|from pytest-timeout")
_COMPILE = re.compile(r" -c (\S+\.c) -o (\S+\.o)")


class Verdict(NamedTuple):
    is_killed: bool
    text: str
    seconds: float = 0.0


class Command(NamedTuple):
    """A compiler's or linker's command line, and the file that it makes."""

    words: list[str]
    source: str  # "" = it links
    made: str


class Tree:
    """A copy of the checkout with a build of its own. One thread."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: list[Command] = []

    def build(self) -> None:
        """Everything; remembers how. Raises CalledProcessError."""
        words = [sys.executable, "setup.py", "build_ext", "--inplace", "--force"]
        done = self._run(words)
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, words, done.stdout)
        for line in done.stdout.splitlines():
            if match := _COMPILE.search(line):
                self.commands.append(Command(shlex.split(line), match[1], match[2]))
            elif " -shared " in line and ".abi3.so" in line:
                words = shlex.split(line)
                self.commands.append(Command(words, "", words[words.index("-o") + 1]))
        if not any(command.source for command in self.commands):
            raise RuntimeError("setup.py did not show how it compiles")
        for library in self._list_libraries():
            shutil.copy2(library, f"{library}.whole")

    def compile_changed(self, changed: Path) -> str:
        """Compile and link for a change of one file. The compiler's output if it fails, else ""."""
        if changed.suffix == ".py":
            return ""
        folder = self.root / "build" / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        name = str(changed.relative_to(self.root))
        new: dict[str, str] = {}
        for number, command in enumerate(self.commands):
            is_header = changed.suffix == ".h" and Path(command.source).parent == Path(name).parent
            if command.source == name or (command.source and is_header):
                new[command.made] = str(folder / f"{number}.o")
                words = [new.get(word, word) for word in command.words if word != "-Werror"]
                done = self._run(words)
                if done.returncode:
                    return done.stdout
        for command in self.commands:
            if command.source or not new.keys() & set(command.words):
                continue
            library = self._library_of(command)
            words = [new.get(word, word) for word in command.words]
            words[words.index("-o") + 1] = f"{library}.new"
            done = self._run(words)
            if done.returncode:
                return done.stdout
            os.replace(f"{library}.new", library)
        return ""

    def restore_libraries(self) -> None:
        for library in self._list_libraries():
            shutil.copy2(f"{library}.whole", f"{library}.new")
            os.replace(f"{library}.new", library)

    def run_tests(self, *words: str, patience_s: float = PATIENCE_S) -> tuple[int | None, str]:
        """pytest's exit status, None if it did not end; and its output."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *words]
        path = os.pathsep.join(str(self.root / name) for name in ("core", "viewer", "resources"))
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output
        return process.returncode, output

    def _list_libraries(self) -> list[Path]:
        return [self._library_of(command) for command in self.commands if not command.source]

    def _library_of(self, command: Command) -> Path:
        """Where the library is imported from: setup.py links elsewhere, and copies."""
        found = list(self.root.glob(f"*/*/native/{Path(command.made).name}"))
        if len(found) != 1:
            raise RuntimeError(f"{command.made} is {len(found)} times in the copy")
        return found[0]

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def list_files() -> Iterator[Path]:
    """What git knows or would add, relative to the checkout."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in sorted(set(filter(None, listing.stdout.split("\0")))):
        if (CHECKOUT / name).is_file():
            yield Path(name)


def make_tree(number: int) -> Tree:
    root = SCRATCH / str(number)
    shutil.rmtree(root, ignore_errors=True)
    for path in list_files():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / path, root / path)
    for name in SHARED:
        if (CHECKOUT / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(CHECKOUT / name)
    (
        root / ".git"
    ).mkdir()  # setup.py takes it for a checkout: the same flags, so a cache is of use
    tree = Tree(root)
    tree.build()
    return tree


def judge(mutant: Mutant, tree: Tree) -> Verdict:
    began = time.monotonic()
    path, text = mutate(mutant, tree.root)
    whole = path.read_text(encoding="utf-8")
    try:
        path.write_text(text, encoding="utf-8")
        if problem := tree.compile_changed(path):
            return Verdict(False, f"does not compile:\n{problem}", time.monotonic() - began)
        status, output = tree.run_tests(*mutant.tests)
    finally:
        path.write_text(whole, encoding="utf-8")
        tree.restore_libraries()
    seconds = time.monotonic() - began
    if status is None or _HANG.search(output):
        text = "killed: it hangs" if mutant.hangs else f"hangs, and does not say so\n{output}"
        return Verdict(mutant.hangs, text, seconds)
    if status == FAILED:
        failed = re.findall(r"^FAILED \S*?([^/\s]+)(?: - .*)?$", output, re.MULTILINE)
        return Verdict(
            True, f"killed by {failed[0] if failed else 'an error of a fixture'}", seconds
        )
    return Verdict(False, f"SURVIVES (pytest's exit status is {status})\n{output}", seconds)


def find_failing(mutants: list[Mutant], tree: Tree, n_jobs: int) -> set[str]:
    """The named tests that fail without a fault, twice: with others beside them, and by themselves.

    Raises RuntimeError if they cannot be run.
    """
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    print(f"without a fault: {len(tests)} tests", flush=True)
    workers = ["-n", str(n_jobs + 1), "--max-worker-restart", "0"]  # as the Makefile has it
    patience_s = PATIENCE_S * len(tests)
    for words in (["--maxfail=20", *workers], ["--maxfail=20"]):
        status, output = tree.run_tests(*words, *tests, patience_s=patience_s)
        if status == 0:
            return set()
        tests = sorted(set(re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)))
        if not tests:
            raise RuntimeError(f"the tests cannot be run without a fault:\n{output}")
    print(output)
    return {test.partition("[")[0] for test in tests}


def run_all(mutants: list[Mutant], n_jobs: int) -> bool:
    """Whether every mutant was killed."""
    trees: queue.SimpleQueue[Tree] = queue.SimpleQueue()
    first = make_tree(0)
    failing = find_failing(mutants, first, n_jobs)
    trees.put(first)
    for number in range(1, n_jobs):
        trees.put(make_tree(number))
    printing = threading.Lock()

    def run_one(mutant: Mutant) -> bool:
        tree = trees.get()
        try:
            verdict = judge(mutant, tree)
            if failing & {test.partition("[")[0] for test in mutant.tests}:
                verdict = Verdict(False, "its test fails without a fault: it shows nothing")
        except MutantError as error:
            verdict = Verdict(False, str(error))
        finally:
            trees.put(tree)
        with printing:
            print(f"{mutant.name:42} {verdict.seconds:5.0f} s  {verdict.text}", flush=True)
        return verdict.is_killed

    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        killed = list(pool.map(run_one, mutants))
    print(f"{sum(killed)} of {len(killed)} mutants killed")
    return all(killed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="mutants; none = all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    wanted = {name for names in arguments.names for name in names.split(",")}
    mutants = [one for one in list_mutants() if not wanted or one.name in wanted]
    if unknown := wanted - {mutant.name for mutant in mutants}:
        parser.error(f"there are no mutants {sorted(unknown)}")
    return 0 if run_all(mutants, min(arguments.jobs, len(mutants))) else 1


if __name__ == "__main__":
    sys.exit(main())
