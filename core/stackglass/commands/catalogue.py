"""Catalogue: the commands that there are, what each needs, and where its module is found."""

from __future__ import annotations

import gc
import os
import sys

from stackglass.errors import MissingExtraError, NativeError, UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from importlib import metadata
    from typing import Protocol
else:
    Protocol = object

GROUP = "stackglass.commands"
VIEW = "view"
"""The command of a command line that names no command: ``stackglass FILE…``."""

_PACKAGES_OF_EXTRA = {
    "files": ("numpy", "google.protobuf"),
    "viewer": ("numpy", "google.protobuf", "psutil", "pyqtgraph", "PySide6"),
}
_INSTALL_NAME = {"google.protobuf": "protobuf", "PySide6": "PySide6-Essentials"}
_OLDEST_PROTOBUF = (4, 25)  # as pyproject.toml requires; programs may pin an older one
_PYTHON_OF_EXTRAS = (3, 11)


BRIEF = ("ps", "threads", "waits")
"""Commands that leave nothing to clean up: no thread, child process or exit function."""
SIGNALLED = ("record", "run")
"""Commands that handle signals from their first moment on."""


class CommandModule(Protocol):
    """What a command's module offers.

    A module with ``TAKES_COMMAND = True`` gets the words behind ``--``, which are another
    program's, as ``arguments.command`` (a list; empty = there were none). A module with
    ``parse(parser, words)`` reads its words itself.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command. Returns the exit code; raises StackglassError if it fails."""


class Entry(NamedTuple):
    """One line of ``stackglass --help``."""

    name: str
    summary: str
    extra: str  # "" = the standard library is enough


ENTRIES = (
    Entry("attach", "watch a running process live, in the viewer", "viewer"),
    Entry("run", "run a Python program and write its profiles when it ends", ""),
    Entry("record", "record a process, or a command, into a profile file", ""),
    Entry("waits", "print which threads wait for which lock in a process, and deadlocks", ""),
    Entry("threads", "print the threads, tasks and greenlets of a process, with their stacks", ""),
    Entry("serve", "serve a process's profiles over HTTP, as Go's net/http/pprof does", ""),
    Entry("startup", "have every Python of this environment honour STACKGLASS_PROFILE", ""),
    Entry("ps", "list Python processes and whether they can be attached to", ""),
    Entry("debuginfo", "list which libraries of a process have debug information; download it", ""),
    Entry("top", "print a profile's functions as a table", "files"),
    Entry("tree", "print a profile's functions with their callers and callees", "files"),
    Entry("peek", "print the callers and callees of some functions of a profile", "files"),
    Entry("tags", "print a profile's labels, and what each value costs", "files"),
    Entry("traces", "print a profile's samples one by one, with labels and stacks", "files"),
    Entry("list", "print functions of a profile line by line, with their source", "files"),
    Entry("raw", "print all that a profile holds, row by row", "files"),
    Entry("diff", "print what changed between two profiles; for CI, an exit status", "files"),
    Entry("convert", "write a profile in another format: pprof, speedscope, SVG, CSV, …", "files"),
    Entry("memory", "print what a memory trace holds: its peak, leaks, lifetimes", "files"),
    Entry("demo", "start a busy demo program and watch it live", "viewer"),
    Entry(VIEW, "open profiles in the viewer; the same as `stackglass FILE…`", "viewer"),
)


def _find_entry_points() -> dict[str, metadata.EntryPoint]:
    """The commands that installed packages declare, by name."""
    from importlib import metadata  # here for start-up time: this package's commands need none

    found = metadata.entry_points()
    if sys.version_info >= (3, 10):
        group = found.select(group=GROUP)
    else:
        group = found.get(GROUP, ())
    return {point.name: point for point in group}


def _find_module(name: str) -> str:
    """The module that the extras of Stackglass itself declare for a command; "" = none is found.

    The metadata file is read here, because the import of ``importlib.metadata`` and its search of
    all installed packages take longer than many commands. It has the answer if this finds none.
    """
    for folder in sys.path:
        path = os.path.join(folder, f"stackglass-{VERSION}.dist-info", "entry_points.txt")
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError:
            continue
        section = text.partition(f"[{GROUP}]\n")[2].partition("\n[")[0]
        for line in section.splitlines():
            declared, _, module = line.partition("=")
            if declared.strip() == name:
                return module.strip()
    return ""


def is_known(name: str) -> bool:
    """Whether a command is one of Stackglass's own and installed. False if that cannot be found out
    quickly: ``list_entries`` searches all installed packages."""
    return is_own(name) or (_find_entry(name) is not None and _find_module(name) != "")


def _find_entry(name: str) -> Entry | None:
    return next((entry for entry in ENTRIES if entry.name == name), None)


def list_entries() -> list[Entry]:
    """The commands that are installed, those of other packages included."""
    declared = _find_entry_points()
    known = [entry for entry in ENTRIES if entry.name in declared or is_own(entry.name)]
    names = {entry.name for entry in ENTRIES}
    return known + [Entry(name, "", "") for name in sorted(declared) if name not in names]


def load(name: str) -> CommandModule:
    """Import the module of a command.

    Raises UsageError if there is no such command, MissingExtraError if packages that it needs
    are not installed, NativeError if the extension cannot be loaded.
    """
    # Objects that modules create live on: to search them for garbage took a tenth of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        if is_own(name):
            return _import_module(f"{__package__}.{name}")
        if (entry := _find_entry(name)) is not None and (module := _find_module(name)):
            _require(entry)
            return _import_module(module)
        return _load_declared(name)
    except ImportError as error:
        if error.name is None or not error.name.startswith("stackglass.native"):
            raise
        raise NativeError(
            f"the extension cannot be loaded ({error.msg})", "install stackglass again"
        ) from error
    finally:
        if was_enabled:
            gc.enable()


def check_installed(name: str) -> None:
    """Raises MissingExtraError if packages that a command needs are not installed."""
    entries = {entry.name: entry for entry in ENTRIES}
    if name not in _find_entry_points():
        raise MissingExtraError(
            f"stackglass {name} is not installed",
            f"pip install 'stackglass[{entries[name].extra}]'",
        )
    _require(entries[name])


def is_own(name: str) -> bool:
    """Whether a command is one of this package's: no entry points need to be searched for it."""
    return any(entry.name == name and not entry.extra for entry in ENTRIES)


def _import_module(name: str) -> CommandModule:
    module: CommandModule = __import__(name, fromlist=["run"])
    return module


def _load_declared(name: str) -> CommandModule:
    entries = {entry.name: entry for entry in list_entries()}
    if name not in entries:
        raise UsageError(f"there is no command {name!r}", "stackglass --help lists them")
    if entries[name].extra:
        _require(entries[name])
    module: CommandModule = _find_entry_points()[name].load()
    return module


def _require(entry: Entry) -> None:
    what = "stackglass" if entry.name == VIEW else f"stackglass {entry.name}"
    if sys.version_info < _PYTHON_OF_EXTRAS:
        raise MissingExtraError(
            f"{what} needs Python {_PYTHON_OF_EXTRAS[0]}.{_PYTHON_OF_EXTRAS[1]} or newer, this is "
            f"{sys.version_info[0]}.{sys.version_info[1]}",
            "record with this Python, and open the file with a newer one",
        )
    missing = [package for package in _PACKAGES_OF_EXTRA[entry.extra] if not _is_there(package)]
    if missing:
        names = [_INSTALL_NAME.get(package, package) for package in missing]
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        raise MissingExtraError(
            f"{what} needs {listed}", f"pip install 'stackglass[{entry.extra}]'"
        )
    _require_protobuf(what)


def _require_protobuf(what: str) -> None:
    """Raises MissingExtraError for a protobuf that is too old: the generated messages would fail
    while they are imported."""
    from importlib import util  # here for start-up time

    # Its file is read, not imported: the window imports protobuf only with the first file.
    spec = util.find_spec("google.protobuf")
    if spec is None or not (spec.origin or "").endswith(".py"):
        return
    with open(str(spec.origin), encoding="utf-8") as file:
        quoted = file.read().partition("__version__ = ")[2].partition("\n")[0]
    version, wanted = quoted.strip("'\" "), ".".join(map(str, _OLDEST_PROTOBUF))
    if version and _read_version(version) < _OLDEST_PROTOBUF:
        raise MissingExtraError(
            f"{what} needs protobuf {wanted} or newer, this is {version}",
            f"pip install 'protobuf>={wanted}'",
        )


def _read_version(text: str) -> tuple[int, ...]:
    """The first two numbers of a version; 0 for a part that is no number."""
    return tuple(int(part) if part.isdigit() else 0 for part in text.split(".")[:2])


def _is_there(package: str) -> bool:
    from importlib import util  # here for start-up time

    try:
        return util.find_spec(package) is not None
    except ModuleNotFoundError:  # the parent of a dotted name
        return False
