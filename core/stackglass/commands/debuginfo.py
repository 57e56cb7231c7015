"""``stackglass debuginfo``: lists the debug information of a process's libraries; downloads it."""

from __future__ import annotations

import sys

from stackglass.errors import UsageError
from stackglass.record.progress import Progress
from stackglass.symbols import debuginfod
from stackglass.symbols.process_libraries import Library, list_libraries

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Print which libraries of a process have debug information: file, line and inlined "
        "functions of their machine code. With --download, get what is missing from the servers "
        "in DEBUGINFOD_URLS; the window and `record` then use it, and so do gdb and perf."
    )
    parser.add_argument("pid", type=int, metavar="PID", help="the process")
    parser.add_argument(
        "--download",
        action="store_true",
        help="download debug files; the servers learn which libraries the process has",
    )
    parser.add_argument(
        "--library", metavar="TEXT", default="", help="only libraries with TEXT in their path"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the libraries, and download. Returns 1 if --download found nothing that was missing."""
    servers = debuginfod.list_servers()
    if arguments.download and not servers:
        raise UsageError(
            "DEBUGINFOD_URLS names no server",
            "for Debian: export DEBUGINFOD_URLS=https://debuginfod.debian.net",
        )
    libraries = [each for each in list_libraries(arguments.pid) if arguments.library in each.path]
    n_found = 0
    for library in libraries:
        if library.has_lines or not library.build_id or not arguments.download:
            print(f"{library.path}: {_describe(library)}")
            continue
        n_bytes = _download(library, servers)
        n_found += bool(n_bytes)
        what = f"downloaded, {n_bytes / 1e6:.1f} MB" if n_bytes else "the servers have none"
        print(f"{library.path}: {what}")
    lacks = any(not each.has_lines for each in libraries)
    return int(arguments.download and lacks and not n_found)


def _describe(library: Library) -> str:
    if library.has_lines:
        return "has lines"
    return "no lines" if library.build_id else "no lines, and no build id to look for"


def _download(library: Library, servers: list[str]) -> int:
    line = Progress(sys.stderr)
    line.title = library.path
    try:
        return debuginfod.download(
            library.build_id,
            servers,
            lambda done, size: line.show(
                f"{done / 1e6:.1f}" + (f" of {size / 1e6:.1f} MB" if size else " MB")
            ),
        )
    finally:
        line.clear()
