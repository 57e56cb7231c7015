"""``%%stackglass``: the profile of a cell, as a flame graph below it and as a file.

Nothing of IPython is imported: its shell hands itself over.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any, NoReturn, Protocol

from stackglass.api.block_tables import BlockProfiles, read_names
from stackglass.errors import ProfileError, StackglassError, UsageError
from stackglass.graph import svg
from stackglass.graph.tree import build_tree
from stackglass.wire import profile_file
from stackglass.wire.pprof_file import encode_file

NAME = "stackglass"


class Shell(Protocol):
    """What is used of IPython's ``InteractiveShell``."""

    execution_count: int
    display_formatter: Any
    display_pub: Any

    def run_cell(self, raw_cell: str) -> object:
        """Run a cell; shows its result, and its exception."""

    def register_magic_function(self, func: Any, magic_kind: str, magic_name: str) -> None:
        """Add a magic."""


class CellGraph:
    """What a notebook shows below the cell; a terminal has the text."""

    __slots__ = ("_path", "_svg", "_title")

    def __init__(self, title: str, path: str, graph: str) -> None:
        self._title = title
        self._path = path
        self._svg = graph

    def __repr__(self) -> str:
        return f"{self._title} → {self._path}"

    def _repr_html_(self) -> str:
        """As part of the page, where tool tips and the browser's search work."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg


class _Parser(argparse.ArgumentParser):
    """Reports an error as an exception: a notebook must not end."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%{NAME}: {message}", f"%%{NAME} --help")


class CellMagic:
    """The magic of one shell. For the thread that runs its cells."""

    __slots__ = ("_parser", "_shell")

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
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

    def __call__(self, line: str, cell: str = "") -> None:
        """Run the cell. An error of the profile is a line; the cell's own are shown as always."""
        try:
            arguments = self._parser.parse_args(shlex.split(line))
            (profile,) = read_names(arguments.profile, f"%%{NAME}")[:1]
            path = arguments.output or f"cell-{self._shell.execution_count}.{profile}.pb.gz"
            profile_file.check_writable(path)
            self._show(self._profile(cell, profile, path))
        except SystemExit:  # --help has printed it
            return
        except StackglassError as error:
            sys.stderr.write(f"{error}\n")

    def _show(self, graph: CellGraph) -> None:
        """As IPython.display.display does. A magic's value would replace that of the cell."""
        self._shell.display_pub.publish(*self._shell.display_formatter.format(graph))

    def _profile(self, cell: str, profile: str, path: str) -> CellGraph:
        profiles = BlockProfiles((profile,))
        profiles.open()
        try:
            profiles.begin()
            self._shell.run_cell(cell)
            block = profiles.end()
        finally:
            profiles.close()
        if block.problem:
            raise ProfileError(block.problem)
        tables = block.tables[profile]
        profile_file.write_file(path, encode_file(tables))
        tree = build_tree(tables, is_start=runs_a_cell)
        title = f"{profile} of the cell"
        total = svg.format_value(tree.root.total, tree.unit)
        return CellGraph(f"{title}: {total}", path, svg.draw(tree, title))


def runs_a_cell(name: str, file: str) -> bool:
    """Whether it is IPython's function that runs a cell's code; what stands above is the cell."""
    return name.rpartition(".")[2] == "run_code" and file.endswith("interactiveshell.py")


def register(shell: Shell) -> None:
    """Give a shell the magic."""
    shell.register_magic_function(CellMagic(shell), "cell", NAME)
