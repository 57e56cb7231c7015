"""``%%stackglass``: the profile of a cell, as a flame graph below it and as a file.

::

    %%stackglass heap ─┬─ no await in it ─▶ cell magic: begin, run_cell, end
    (the cell)         └─ await in it ───▶ %stackglass_begin heap, (the cell), post_run_cell: end

A cell with ``await`` outside of functions needs the notebook's event loop, which runs the magic
itself, so the magic cannot run such a cell. Nothing of IPython is imported: its shell passes itself
to ``register``.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any, NoReturn, Protocol

from stackglass.api import program
from stackglass.api.block_tables import CPU, WALL, BlockProfiles, read_names
from stackglass.errors import ProfileError, StackglassError, UsageError
from stackglass.graph import svg
from stackglass.graph.tree import build_tree
from stackglass.wire import profile_file
from stackglass.wire.pprof_file import encode_file

NAME = "stackglass"
_BEGIN = f"{NAME}_begin"
_HEAD = f"%%{NAME}"
_MAGIC = f"{__name__}.CellMagic.__call__"
_OF_NOTEBOOK = ("ipykernel.", "IPython.", "zmq.", "stackglass.")
_OF_ZEROMQ = ("<no Python thread>", "<signal blocked>")


class Shell(Protocol):
    """The part of IPython's ``InteractiveShell`` that is used."""

    displayhook: Any  # prompt_count is the number of the running cell, in each version
    display_formatter: Any
    display_pub: Any
    events: Any
    input_transformers_cleanup: list[Any]

    def transform_cell(self, raw_cell: str) -> str:
        """Return the cell as Python. Raises SyntaxError."""

    def should_run_async(self, raw_cell: str, *, transformed_cell: str) -> bool:
        """Return whether a cell awaits something outside of functions."""

    def run_cell(self, raw_cell: str) -> Any:
        """Run a cell; shows its result, and its exception. Returns an ``ExecutionResult``."""

    def register_magic_function(self, func: Any, magic_kind: str, magic_name: str) -> None:
        """Add a magic."""


class CellGraph:
    """The flame graph that a notebook shows below the cell; a terminal shows its text."""

    __slots__ = ("_path", "_svg", "_title")

    def __init__(self, title: str, path: str, graph: str) -> None:
        self._title = title
        self._path = path
        self._svg = graph

    def __repr__(self) -> str:
        return f"{self._title} → {self._path}"

    def _repr_html_(self) -> str:
        """Return the graph as part of the page, where tool tips and the browser's search work."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg


class _Parser(argparse.ArgumentParser):
    """Reports an error as an exception: a notebook must not end."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%{NAME}: {message}", f"%%{NAME} --help")


class CellMagic:
    """The magic of one shell. For the thread that runs its cells."""

    __slots__ = ("_begun", "_failure", "_parser", "_shell")

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._failure: BaseException | None = None  # of the cell that the magic has just run
        self._begun: _Recording | None = None  # of a cell that awaits
        self._parser = _Parser(
            prog=f"%%{NAME}",
            description="Profile this cell: a flame graph below it, and a file for pprof or the "
            "viewer.",
        )
        self._parser.add_argument(
            "profile", nargs="?", default="cpu", help="cpu, wall, heap, allocs, block, mutex or gil"
        )
        self._parser.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            help="where the file goes (default: cell-N.PROFILE.pb.gz)",
        )

    def __call__(self, line: str, cell: str | None = None) -> None:
        """Profile the cell that begins with %%stackglass: ``%stackglass --help`` lists profiles and
        options."""
        # An error of the profile is printed as a line; the cell's own exceptions as always.
        self._failure = None
        try:
            if cell is None:
                self._parse(line)
                raise UsageError(f"%{NAME} profiles whole cells", f"begin the cell with {_HEAD}")
            recording = _begin(*self._read(line))
        except SystemExit:  # --help has printed it
            return
        except StackglassError as error:
            self._failure = error  # the cell was not run
            sys.stderr.write(f"{error}\n")
            return
        try:
            try:
                result = self._shell.run_cell(cell)
                self._failure = result.error_before_exec or result.error_in_exec
            finally:
                graph = recording.end()
            self._show(graph)
        except StackglassError as error:
            sys.stderr.write(f"{error}\n")

    def begin(self, line: str) -> None:
        """Begin to profile the running cell, which awaits."""
        self._failure = None
        self._begun = _begin(*self._read(line))

    def on_cell_run(self, result: Any) -> None:
        """Show the profile of the cell that has run, if ``begin`` began one for it. If the cell
        failed under the magic, note so in its result: a notebook does not run the next cells."""
        info = getattr(result, "info", None)
        if not str(getattr(info, "raw_cell", "")).lstrip().startswith(_HEAD):
            return  # another cell, which the profiled cell has run
        begun, self._begun = self._begun, None
        failure, self._failure = self._failure, None
        if failure is not None and result.error_in_exec is None:
            result.error_in_exec = failure
        if begun is None:
            return
        try:
            self._show(begun.end())
        except StackglassError as error:
            sys.stderr.write(f"{error}\n")

    def transform(self, lines: list[str]) -> list[str]:
        """Return the lines of a cell; if the cell awaits, the first one becomes a call of
        ``begin``. Runs nothing, because IPython also calls this to ask whether a cell is
        complete."""
        words = lines[0].split(maxsplit=1) if lines else []
        if not words or words[0] != _HEAD or not self._awaits("".join(lines[1:])):
            return lines
        line = words[1].strip() if len(words) > 1 else ""
        try:
            self._read(line)
        except (SystemExit, StackglassError):
            return lines  # the cell magic reports the error
        return [f"get_ipython().run_line_magic({_BEGIN!r}, {line!r})\n", *lines[1:]]

    def _awaits(self, cell: str) -> bool:
        try:
            transformed = self._shell.transform_cell(cell)
        except SyntaxError:
            return False
        return self._shell.should_run_async(cell, transformed_cell=transformed)

    def _read(self, line: str) -> tuple[str, str]:
        """Return profile and file. Raises StackglassError; SystemExit for --help."""
        arguments = self._parse(line)
        profile, *others = read_names(arguments.profile, _HEAD)
        if others:
            raise UsageError(f"{_HEAD}: a cell has one profile", f"choose {profile} or {others[0]}")
        path = arguments.output or f"cell-{self._shell.displayhook.prompt_count}.{profile}.pb.gz"
        profile_file.check_writable(path)
        return profile, path

    def _parse(self, line: str) -> argparse.Namespace:
        """Return the options. Raises UsageError; SystemExit for --help."""
        try:
            words = shlex.split(line)
        except ValueError as error:  # an unclosed quotation mark
            raise UsageError(f"{_HEAD}: {error}", f"{_HEAD} --help") from error
        return self._parser.parse_args(words)

    def _show(self, graph: CellGraph) -> None:
        """Display the graph, as IPython.display.display does. If the magic returned it, it would
        replace the cell's value."""
        self._shell.display_pub.publish(*self._shell.display_formatter.format(graph))


class _Recording:
    """The running profile of a cell."""

    __slots__ = ("_path", "_profile", "_profiles")

    def __init__(self, profiles: BlockProfiles, profile: str, path: str) -> None:
        self._profiles = profiles
        self._profile = profile
        self._path = path

    def end(self) -> CellGraph:
        """End the profile, write its file, and return its graph. Raises StackglassError."""
        try:
            block = self._profiles.end()
        finally:
            self._profiles.close()
        if block.problem:
            raise ProfileError(block.problem)
        tables = block.tables[self._profile]
        profile_file.write_file(self._path, encode_file(tables))
        tree = build_tree(tables, is_start=runs_a_cell, is_left_out=is_of_notebook)
        title = f"{self._profile} of the cell"
        total = svg.describe_total(tree)
        return CellGraph(f"{title}: {total}", self._path, svg.draw(tree, title))


def _begin(profile: str, path: str) -> _Recording:
    """Begin a recording. Raises StackglassError."""
    if profile in (CPU, WALL) and program.find_cpu_profiler().is_running:
        raise ProfileError(
            f"{_HEAD}: the cell was not run, because a CPU or wall profile of this process runs "
            "already",
            "end that one first: its cell, its block, or by stackglass.stop_cpu_profile()",
        )
    profiles = BlockProfiles((profile,))
    profiles.open()
    try:
        profiles.begin()
    except StackglassError:
        profiles.close()
        raise
    return _Recording(profiles, profile, path)


def runs_a_cell(name: str, file: str) -> bool:
    """Return whether a function runs a cell: it is IPython's, or the magic, which runs its cell.
    The function's callees are the cell."""
    is_code = name.rpartition(".")[2] == "run_code" and file.endswith("interactiveshell.py")
    return is_code or name == _MAGIC


def is_of_notebook(name: str) -> bool:
    """Return whether a function is the notebook's: of its threads, which wait while a cell runs, or
    of its work around a cell, such as printing an exception. Stacks of threads without Python
    frames, and of threads that block signals, are ZeroMQ's."""
    return name.startswith(_OF_NOTEBOOK) or name in _OF_ZEROMQ


def register(shell: Shell) -> None:
    """Register the magic in a shell, in place of one that was registered before."""
    magic = CellMagic(shell)
    shell.register_magic_function(magic, "line_cell", NAME)
    shell.register_magic_function(magic.begin, "line", _BEGIN)
    others = [each for each in shell.input_transformers_cleanup if not _is_of_magic(each)]
    shell.input_transformers_cleanup[:] = [*others, magic.transform]
    for each in [each for each in shell.events.callbacks["post_run_cell"] if _is_of_magic(each)]:
        shell.events.unregister("post_run_cell", each)
    shell.events.register("post_run_cell", magic.on_cell_run)


def _is_of_magic(function: object) -> bool:
    return isinstance(getattr(function, "__self__", None), CellMagic)
