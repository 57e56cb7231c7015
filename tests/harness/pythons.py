"""Search for the CPythons on this machine that tests can attach to, and why versions are missing.

These places are searched in order; of equal interpreters the first one counts:

1. ``STACKGLASS_PYTHONS``: executables, or directories that hold ``python3.N``, joined by ``:``
2. ``build/pythons`` of the checkout, where ``packaging/debian_pythons`` puts 3.14 and 3.15
3. pyenv's versions, if there is a ``pyenv``
4. ``python3.9`` … ``python3.15`` and ``python3`` along ``PATH``

For a version that is installed but not selected, a pyenv shim answers "command not found". Step 3
finds the interpreter that it stands for.

The other builds of ``packaging/debian_pythons`` (older suites, debug builds) are in a list of their
own, ``distribution_pythons``.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
UNPACKED = CHECKOUT / "build" / "pythons"
SUITES = ("bullseye", "bookworm", "trixie", "forky")
MINORS = range(9, 16)
_PROBE = """
import os, sys
print(sys.implementation.name)
print(".".join(map(str, sys.version_info[:3])))
print(1 if "free-threading" in sys.version else 0)
print(1 if hasattr(sys, "gettotalrefcount") else 0)
print(os.path.realpath(sys.executable))
"""


class Python(NamedTuple):
    """An interpreter that runs."""

    executable: str  # path of the program
    version: str  # "3.13.0"
    is_free_threaded: bool
    source: str  # where it was found
    is_debug: bool = False  # configured with --with-pydebug

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version as numbers, for comparisons: 3.9.18 is later than 3.9.2."""
        return tuple(map(int, self.version.split(".")))

    @property
    def minor(self) -> int:
        return self.numbers[1]

    @property
    def label(self) -> str:
        """A short name that is unique on this machine: the version and its source."""
        mark = ("t" if self.is_free_threaded else "") + ("-dbg" if self.is_debug else "")
        return f"{self.version}-{self.source}{mark}"


class Pythons(NamedTuple):
    """The interpreters of this machine, and the missing versions."""

    present: tuple[Python, ...]  # ordered by version
    missing: dict[int, str]  # minor version → reason


def _suite_of(candidate: Path) -> str | None:
    """Return the Debian suite that the interpreter was unpacked from, if any."""
    folder = candidate.absolute().parent
    if folder == UNPACKED:
        return "forky"
    return folder.name if folder.parent == UNPACKED else None


def _versions_in(folder: Path) -> Iterator[Path]:
    for minor in MINORS:
        for place in (folder, folder / "bin"):
            candidate = place / f"python3.{minor}"
            if os.access(candidate, os.X_OK):
                yield candidate


def _pyenv_root() -> Path | None:
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return None
    root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
    return Path(root.stdout.strip()) if root.returncode == 0 else None


def _list_candidates() -> Iterator[tuple[Path, str]]:
    for entry in os.environ.get("STACKGLASS_PYTHONS", "").split(os.pathsep):
        if not entry:
            continue
        path = Path(entry)
        for candidate in _versions_in(path) if path.is_dir() else [path]:
            yield candidate, _suite_of(candidate) or "given"
    for candidate in _versions_in(UNPACKED):
        yield candidate, "forky"
    pyenv_root = _pyenv_root()
    if pyenv_root is not None:
        for version in sorted((pyenv_root / "versions").glob("3.*")):
            for candidate in _versions_in(version):
                yield candidate, "pyenv"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if not folder or (pyenv_root is not None and Path(folder) == pyenv_root / "shims"):
            continue
        for candidate in _versions_in(Path(folder)):
            yield candidate, "path"
        if os.access(Path(folder) / "python3", os.X_OK):
            yield Path(folder) / "python3", "path"


def _probe(candidate: Path) -> list[str] | str:
    """Return the interpreter's answers about itself, or why it gave none."""
    try:
        answer = subprocess.run(
            [str(candidate), "-I", "-S", "-c", _PROBE],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{candidate} does not run: {error}"
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or ["no output"])[-1]
        return f"{candidate} does not run: {last}"
    return answer.stdout.splitlines()


def _read_answer(answer: list[str], candidate: Path, source: str) -> Python | None:
    """Return the interpreter; None if it is not CPython, or its version is not supported."""
    implementation, version, is_free_threaded, is_debug, _ = answer
    if implementation != "cpython" or int(version.split(".")[1]) not in MINORS:
        return None
    return Python(str(candidate), version, is_free_threaded == "1", source, is_debug == "1")


def _reason_for_missing(minor: int, broken: dict[int, str]) -> str:
    if minor in broken:
        return broken[minor]
    reason = f"no python3.{minor} in STACKGLASS_PYTHONS, pyenv or PATH"
    why_not_forky = UNPACKED / "absent.txt"
    if minor >= 14 and why_not_forky.is_file():
        reason += f"; packaging/debian_pythons: {why_not_forky.read_text().strip()}"
    return reason


@functools.cache
def find_pythons() -> Pythons:
    """Search once; a test run does not see interpreters that are installed meanwhile."""
    found: dict[tuple[str, str], Python] = {}
    broken: dict[int, str] = {}
    for candidate, source in _list_candidates():
        answer = _probe(candidate)
        if isinstance(answer, str):
            minor = candidate.name.removeprefix("python3.")
            if minor.isdigit():
                broken.setdefault(int(minor), answer)
            continue
        python = _read_answer(answer, candidate, source)
        if python is not None:
            found.setdefault((python.version, answer[-1]), python)
    present = tuple(sorted(found.values(), key=lambda one: (one.numbers, one.source)))
    with_gil = {one.minor for one in present if not one.is_free_threaded}
    missing = {
        minor: _reason_for_missing(minor, broken) for minor in MINORS if minor not in with_gil
    }
    return Pythons(present, missing)


def pythons_with_gil() -> tuple[Python, ...]:
    """Return the interpreters with the GIL, which can be attached to."""
    return tuple(one for one in find_pythons().present if not one.is_free_threaded)


@functools.cache
def distribution_pythons() -> tuple[Python, ...]:
    """Return Debian's unpacked builds, with debug builds; `find_pythons` has forky's, too."""
    found = []
    for suite in SUITES:
        folder = UNPACKED if suite == "forky" else UNPACKED / suite
        for candidate in sorted(folder.glob("python3.*")):
            answer = _probe(candidate)
            python = None if isinstance(answer, str) else _read_answer(answer, candidate, suite)
            if python is not None and not python.is_free_threaded:
                found.append(python)
    return tuple(found)


def absent_distributions() -> dict[str, str]:
    """Map each suite without a build to the reason."""
    present = {python.source for python in distribution_pythons()}
    absent = {}
    for suite in SUITES:
        reason = (UNPACKED if suite == "forky" else UNPACKED / suite) / "absent.txt"
        if suite not in present:
            absent[suite] = reason.read_text().strip() if reason.is_file() else "never fetched"
    return absent


def list_numpy_environment(python: Python) -> dict[str, str]:
    """Return environment variables for the numpy of ``packaging/target_packages numpy``, if it is
    installed."""
    folder = CHECKOUT / "build" / "numpy" / f"3.{python.minor}"
    return {"PYTHONPATH": str(folder)} if folder.is_dir() else {}


def list_frames_environment(python: Python) -> dict[str, str]:
    """Do the same for the polars, pandas and pyarrow of ``packaging/target_packages frames``."""
    folder = CHECKOUT / "build" / "frames" / f"3.{python.minor}"
    return {"PYTHONPATH": str(folder)} if folder.is_dir() else {}


def list_green_environment(python: Python) -> dict[str, str]:
    """Do the same for the gevent and eventlet of ``packaging/target_packages green``."""
    folder = CHECKOUT / "build" / "green" / f"3.{python.minor}"
    return {"PYTHONPATH": str(folder)} if folder.is_dir() else {}


def list_uvloop_environment(python: Python) -> dict[str, str]:
    """Do the same for the uvloop of ``packaging/target_packages uvloop``."""
    folder = CHECKOUT / "build" / "uvloop" / f"3.{python.minor}"
    return {"PYTHONPATH": str(folder)} if folder.is_dir() else {}


def list_memray_environment(python: Python) -> dict[str, str]:
    """Do the same for the memray of ``packaging/target_packages memray``."""
    folder = CHECKOUT / "build" / "memray" / f"3.{python.minor}"
    return {"PYTHONPATH": str(folder)} if folder.is_dir() else {}


def list_loops_environment(python: Python) -> dict[str, str]:
    """Do the same for the anyio, trio and aiohttp of ``packaging/target_packages loops``, and
    uvloop."""
    folders = [CHECKOUT / "build" / name / f"3.{python.minor}" for name in ("loops", "uvloop")]
    found = [str(folder) for folder in folders if folder.is_dir()]
    return {"PYTHONPATH": os.pathsep.join(found)} if found else {}


def describe_pythons() -> list[str]:
    """List lines for the head of a test run."""
    pythons = find_pythons()
    present = ", ".join(one.label for one in pythons.present) or "none"
    lines = [f"target Pythons: {present}"]
    lines += [f"no Python 3.{minor}: {reason}" for minor, reason in pythons.missing.items()]
    return lines
