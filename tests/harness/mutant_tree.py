"""Copy of the checkout with a build of its own, in which one file at a time is changed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.mutants import CHECKOUT

SHARED = (
    ".venv",
    "build/pythons",
    "build/numpy",
    "build/green",
    "build/loops",
    "build/uvloop",
    "build/frames",
)
PATIENCE_S = 900.0
_ENGINE = Path("core/stackglass/native")
_TESTS = Path("tests/native")
_COMPILE = re.compile(r" -c (\S+\.c) -o (\S+\.o)")


class _Command(NamedTuple):
    """Command line of a compiler or linker, and the file that it makes."""

    words: list[str]
    source: str  # "" = the command links
    made: str


class Tree:
    """The copy at ``root``. Use from one thread at a time."""

    def __init__(self, root: Path) -> None:
        """Copy the checkout and build it. Raises CalledProcessError, RuntimeError."""
        self.root = root
        self._commands: list[_Command] = []
        shutil.rmtree(root, ignore_errors=True)
        for path in list_files():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / path, root / path)
        for name in SHARED:
            if (CHECKOUT / name).exists():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).symlink_to(CHECKOUT / name)
        (root / ".git").mkdir()  # so setup.py uses the flags of a checkout
        self._build()

    def compile_changed(self, changed: Path) -> str:
        """Compile and link after a change of one file. Returns the output of a failure, or ""."""
        if changed.suffix == ".py":
            return ""
        folder = self.root / "build" / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        name = changed.relative_to(self.root)
        extension = _extension_of(name)
        new: dict[str, str] = {}
        for number, command in enumerate(self._commands):
            is_header = changed.suffix == ".h" and extension in _list_included(command.source)
            if command.source and (command.source == str(name) or is_header):
                new[command.made] = str(folder / f"{number}.o")
                words = [new.get(word, word) for word in command.words if word != "-Werror"]
                done = self._run(words)
                if done.returncode:
                    return done.stdout
        for command in self._commands:
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
        """Restore the libraries that compile_changed has linked."""
        for library in self._list_libraries():
            shutil.copy2(f"{library}.whole", f"{library}.new")
            os.replace(f"{library}.new", library)

    def run_tests(self, *words: str, patience_s: float = PATIENCE_S) -> tuple[int | None, str]:
        """Run pytest. Returns its exit status, None if it did not end in time, and its output."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
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

    def _build(self) -> None:
        words = [sys.executable, "setup.py", "build_ext", "--inplace", "--force"]
        done = self._run(words)
        if done.returncode:
            raise RuntimeError(f"the copy cannot be built:\n{done.stdout}")
        for line in done.stdout.splitlines():
            if match := _COMPILE.search(line):
                self._commands.append(_Command(shlex.split(line), match[1], match[2]))
            elif " -shared " in line and ".abi3.so" in line:
                words = shlex.split(line)
                self._commands.append(_Command(words, "", words[words.index("-o") + 1]))
        if not any(command.source for command in self._commands):
            raise RuntimeError("setup.py did not show how it compiles")
        for library in self._list_libraries():
            shutil.copy2(library, f"{library}.whole")

    def _list_libraries(self) -> list[Path]:
        return [self._library_of(command) for command in self._commands if not command.source]

    def _library_of(self, command: _Command) -> Path:
        """Return where the library is imported from: setup.py links elsewhere, and copies."""
        name = Path(command.made).name
        found = [
            path
            for places in ("*/*/native", "tests/native")
            for path in self.root.glob(f"{places}/{name}")
        ]
        if len(found) != 1:
            raise RuntimeError(f"{command.made} is {len(found)} times in the copy")
        return found[0]

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.root,
            env={**_CACHED, **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def list_files() -> Iterator[Path]:
    """Yield the files that git tracks or would add, relative to the checkout."""
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


def _list_included(source: str) -> list[Path]:
    """List the folders ``native`` with the headers that a source file includes."""
    own = _extension_of(Path(source))
    return [own, _ENGINE] if own == _TESTS else [own]


def _extension_of(source: Path) -> Path:
    """Return the folder ``native`` that contains a source file."""
    return next((folder for folder in source.parents if folder.name == "native"), source.parent)


# With a compiler cache, only the files that a mutant changes are compiled a second time.
_CACHED = {"CC": "ccache cc", "CCACHE_NOHASHDIR": "1"} if shutil.which("ccache") else {}
