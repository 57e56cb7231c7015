"""What the engine may call while it holds the GIL: nothing that waits for the loader's lock.

A thread of the program may hold that lock and wait for the GIL: a Python callback of
dl_iterate_phdr, or a library whose initializer runs Python. If the engine waited for the lock with
the GIL held, both would stand still.

    packaging/held_gil.py [CHECKOUT]   the calls that could; exit 1 if there are any

The check follows the relocations of the object files from ``ENTRIES`` through all functions and
tables that are called or named, up to those of ``EXEMPT``. So callbacks and hooks are included.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from rooms import ROOT, list_files, make_objects

ENTRIES = {
    "sg_gil_jobs_run": "the jobs of the thread that takes the GIL",
    "imports": "what the imports of libraries are redirected to; in any thread of the program",
}
LOADER = frozenset(
    ("dl_iterate_phdr", "dladdr", "dladdr1", "dlclose", "dlinfo", "dlopen", "dlsym", "dlvsym")
)
"""Functions of the C library that take the loader's lock."""
EXEMPT = {"maintain_samples": "of gil/sampling.c: the sampler's thread runs it"}
"""Functions and tables that are named, but do not run then."""

_OBJECT = re.compile(r"^(\S.*):\s+file format ")
_SECTION = re.compile(r"^RELOCATION RECORDS FOR \[(\S+)\]:")
_RELOCATION = re.compile(r"^[0-9a-f]+ R_\S+\s+(\S+?)(?:[+-]0x[0-9a-f]+)?$")
_SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ (?:\.hidden )?(\S+)$")
_IGNORED = (".debug", ".eh_frame", ".note", ".comment")

Place = tuple[str, str]  # object file and section: one function, or one variable


class Graph:
    """Which function or variable refers to which."""

    def __init__(self, listing: str) -> None:
        """``listing`` is what objdump prints of the object files."""
        self.exported: dict[str, Place] = {}
        self.names: dict[Place, str] = {}
        self._own: dict[tuple[str, str], Place] = {}  # object file and symbol
        self._references: dict[Place, set[str]] = defaultdict(set)
        file = section = ""
        for line in listing.splitlines():
            if found := _OBJECT.match(line):
                file, section = found[1], ""
            elif found := _SECTION.match(line):
                section = "" if found[1].startswith(_IGNORED) else found[1]
            elif section and (found := _RELOCATION.match(line)):
                self._references[file, section].add(found[1])
            elif found := _SYMBOL.match(line):
                self._add_symbol(file, *found.groups())

    def _add_symbol(self, file: str, flags: str, section: str, name: str) -> None:
        if section in ("*UND*", "*ABS*", "*COM*"):
            return
        place = (file, section)
        self._own[file, name] = place
        if "d" not in flags:
            self.names.setdefault(place, name)
        if flags[0] in "gu":
            self.exported[name] = place

    def follow(self, place: Place) -> Iterator[tuple[str, Place | None]]:
        """What a place refers to: symbol and place, None = of another library."""
        for name in sorted(self._references[place]):
            found = self._own.get((place[0], name)) or self.exported.get(name)
            yield (self.names.get(found, name) if found else name), found


def find_faults(graph: Graph) -> list[str]:
    """A line for each function that calls the loader and can be reached: the shortest way to it."""
    ways = {place: [name] for place, name in graph.names.items() if name in ENTRIES}
    queue, faults = list(ways), []
    for place in queue:
        for name, target in graph.follow(place):
            if target is None and name in LOADER:
                faults.append(" → ".join([*ways[place], name]))
            elif target is not None and target not in ways and name not in EXEMPT:
                ways[target] = [*ways[place], name]
                queue.append(target)
    return faults


def read_graph(root: Path) -> Graph:
    """Raises CalledProcessError if a file does not compile, FileNotFoundError without objdump."""
    with tempfile.TemporaryDirectory() as folder:
        objects = make_objects(root, list_files(root), Path(folder))
        listing = subprocess.run(
            ["objdump", "-t", "-r", *objects], check=True, capture_output=True, text=True
        )
    return Graph(listing.stdout)


def main() -> int:
    faults = find_faults(read_graph(Path(sys.argv[1]) if sys.argv[1:] else ROOT))
    print("\n".join(faults) or "held GIL: nothing waits for the loader")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
