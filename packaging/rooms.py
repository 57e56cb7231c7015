"""Check of the engine's rooms (rooms.toml): no include or call goes from a room to a later one.

An exported symbol begins with its file's name: `sg_lock_table_holder` in locks/table.c; so does an
inline function of a header. The files of a room do not use each other in circles; `x.c` and `x.h`
count as one file.

    packaging/rooms.py [CHECKOUT]            print what breaks the order; exit 1 if anything does
    packaging/rooms.py --picture [CHECKOUT]  print too which room uses which, by how many symbols

Includes are read from the sources. Calls and data are the undefined symbols of each object file, so
a use through a declaration that is repeated by hand is found, too. If the build has left no object
file, or one that is older than its source, the check compiles the source.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NATIVE = Path("core/stackglass/native")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_INLINE = re.compile(r"^static inline [\w ]+?[ *]+(\w+)\(", re.MULTILINE)
_DEFINED = "TDBRVWC"


class Arrow(NamedTuple):
    """``source`` uses ``target``; both are files below native/."""

    source: str
    target: str
    what: str  # a symbol, or "" = an include


class Order:
    """The content of rooms.toml."""

    def __init__(self, root: Path) -> None:
        table = tomllib.loads((root / "packaging/rooms.toml").read_text(encoding="utf-8"))
        self.rooms: list[str] = table["rooms"]
        self.alone: list[str] = table["alone"]
        self.with_circles: list[str] = table["with_circles"]
        self.exported: list[str] = table["exported"]

    def find_fault(self, arrow: Arrow) -> str:
        """Return why the arrow is not allowed; "" = it is allowed."""
        source, target = room_of(arrow.source), room_of(arrow.target)
        if source in ("", target):
            return ""
        if target == "":
            return "uses the root"
        if self.rooms.index(target) > self.rooms.index(source):
            return "runs up"
        if source in self.alone or (target in self.alone and "bindings" not in source):
            return "reaches into a room that stands alone"
        return ""


def room_of(file: str) -> str:
    """Return the room of a file below native/; "" = the root."""
    return file.rpartition("/")[0]


def file_of(file: str) -> str:
    """Return the name without suffix, which a source file and its header share."""
    return file.rpartition(".")[0]


def list_files(root: Path) -> list[str]:
    native = root / NATIVE
    return sorted(str(path.relative_to(native)) for path in native.rglob("*.[ch]"))


def list_includes(root: Path, files: list[str]) -> Iterator[Arrow]:
    for file in files:
        text = (root / NATIVE / file).read_text(encoding="utf-8")
        for target in _INCLUDE.findall(text):
            if target in files:
                yield Arrow(file, target, "")


def _compile(root: Path, source: str, folder: Path) -> Path:
    """Compile a source without optimization, because a call that is inlined would be missed."""
    made = folder / (source.replace("/", "-") + ".o")
    native = root / NATIVE
    first = (
        *("platform/glibc_floor.h", "interpreter/argument_sizes.h"),
        "interpreter/reference_counts.h",
    )
    command = [
        *shlex.split(os.environ.get("CC", "cc")),
        *[
            "-std=c11",
            "-O0",
            "-fPIC",
            "-ffunction-sections",
            "-fdata-sections",
            "-w",
            "-D_GNU_SOURCE",
            "-DPy_LIMITED_API=0x03090000",
        ],
        f"-I{sysconfig.get_path('include')}",
        f"-iquote{native}",
        *[f"-include{native / name}" for name in first if (native / name).exists()],
        *["-c", str(native / source), "-o", str(made)],
    ]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return made


def find_object(root: Path, source: str) -> Path | None:
    """Return the object file of the last build; None = there is none, or it is out of date."""
    path = root / NATIVE / source
    newest = max(
        path.stat().st_mtime,
        path.with_suffix(".h").stat().st_mtime if path.with_suffix(".h").exists() else 0.0,
    )
    for made in root.glob(f"build/temp*/{NATIVE / source}"[: -len(".c")] + ".o"):
        if made.stat().st_mtime >= newest:
            return made
    return None


class Symbols(NamedTuple):
    """The symbols that object files export and use."""

    owners: dict[str, str]  # exported symbol -> its source file
    wanted: dict[str, set[str]]  # source file -> undefined symbols


def make_objects(root: Path, files: list[str], folder: Path) -> dict[str, str]:
    """Object file: source file, of those that end in ``.c``. Raises CalledProcessError."""
    return {
        str(find_object(root, source) or _compile(root, source, folder)): source
        for source in files
        if source.endswith(".c")
    }


def read_symbols(root: Path, files: list[str]) -> Symbols:
    """Return the symbols of the sources. Raises CalledProcessError if a file does not compile,
    FileNotFoundError without nm."""
    owners: dict[str, str] = {}
    wanted: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        sources = make_objects(root, files, Path(folder))
        listing = subprocess.run(
            ["nm", "-A", "-P", *sources], check=True, capture_output=True, text=True
        )
    for line in listing.stdout.splitlines():
        made, _, rest = line.rpartition(": ")
        name, kind, *_ = rest.split()
        if kind in _DEFINED:
            owners[name] = sources[made]
        elif kind == "U":
            wanted[sources[made]].add(name)
    return Symbols(owners, wanted)


def list_calls(symbols: Symbols) -> Iterator[Arrow]:
    owners = symbols.owners
    for source, names in symbols.wanted.items():
        for name in sorted(names & owners.keys()):
            yield Arrow(source, owners[name], name)


def list_arrows(root: Path, symbols: Symbols) -> list[Arrow]:
    return [*list_includes(root, list_files(root)), *list_calls(symbols)]


def list_inline_functions(root: Path, files: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (function, file) for the inline functions that headers define."""
    for file in files:
        if file.endswith(".h"):
            text = (root / NATIVE / file).read_text(encoding="utf-8")
            yield from ((name, file) for name in _INLINE.findall(text))


def carries_name(symbol: str, file: str) -> bool:
    """Return whether a symbol begins with its file's name, alone or after its room's name, in
    plural or singular."""
    room, _, stem = file_of(file).rpartition("/")
    names = {stem, stem.removesuffix("s"), re.sub("ies$", "y", stem)}
    rooms = {room, room.removesuffix("s"), room.split("_")[0]}
    prefixes = names | {f"{room}_{name}" for room in rooms for name in names}
    return any(f"{symbol}_".startswith(f"sg_{prefix}_") for prefix in prefixes)


def find_misnamed(owners: list[tuple[str, str]], exported: list[str]) -> list[str]:
    """Return a line for each (symbol, file) that other files can use without its file's name."""
    return [
        f"{file}: {symbol} does not begin with its file's name"
        for symbol, file in sorted(owners)
        if symbol not in exported and not carries_name(symbol, file)
    ]


def find_circles(arrows: list[Arrow]) -> Iterator[list[Arrow]]:
    """Yield the shortest circle of files of one room through each file, unless an earlier circle
    has the file."""
    uses: dict[str, dict[str, Arrow]] = defaultdict(dict)
    for arrow in sorted(arrows, key=lambda arrow: arrow.what):  # a call says more than an include
        source, target = file_of(arrow.source), file_of(arrow.target)
        if source != target and room_of(source) == room_of(target):
            uses[source][target] = arrow
    found: set[str] = set()
    for start in sorted(uses):
        circle = [] if start in found else _find_way_back(uses, start)
        found |= {file_of(arrow.source) for arrow in circle}
        if circle:
            yield circle


def _find_way_back(uses: dict[str, dict[str, Arrow]], start: str) -> list[Arrow]:
    """Return the shortest path from ``start`` to itself; [] = there is none."""
    ways: dict[str, list[Arrow]] = {start: []}
    queue = [start]
    for file in queue:
        for target, arrow in uses.get(file, {}).items():
            if target == start:
                return [*ways[file], arrow]
            if target not in ways:
                ways[target] = [*ways[file], arrow]
                queue.append(target)
    return []


def describe(arrow: Arrow) -> str:
    return f"{'calls ' + arrow.what + ' of' if arrow.what else 'includes'} {arrow.target}"


def describe_circle(circle: list[Arrow]) -> str:
    steps = ", which ".join(describe(arrow) for arrow in circle)
    return f"{circle[0].source} is in a circle: it {steps}"


def find_faults(root: Path) -> list[str]:
    """Return a line for each room without a row, misnamed symbol, forbidden arrow and circle."""
    order = Order(root)
    strays = {room_of(file) for file in list_files(root)} - {"", *order.rooms}
    if strays:
        return [f"{NATIVE / room}: not a room of packaging/rooms.toml" for room in sorted(strays)]
    symbols = read_symbols(root, list_files(root))
    arrows = list_arrows(root, symbols)
    owners = [*symbols.owners.items(), *list_inline_functions(root, list_files(root))]
    runs_up = [
        f"{arrow.source} {fault}: {describe(arrow)}"
        for arrow in arrows
        if (fault := order.find_fault(arrow))
    ]
    circles = [
        describe_circle(circle)
        for circle in find_circles(arrows)
        if room_of(circle[0].source) not in order.with_circles
    ]
    return runs_up + circles + find_misnamed(owners, order.exported)


def draw(root: Path) -> str:
    """Return a line for each room: the rooms that it uses, with the number of symbols; and
    circles."""
    used: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    arrows = list_arrows(root, read_symbols(root, list_files(root)))
    for arrow in arrows:
        source, target = room_of(arrow.source), room_of(arrow.target)
        if source != target and source:
            used[source][target] |= {arrow.what} - {""}
    lines = []
    for room in Order(root).rooms:
        parts = [f"{target} {len(symbols)}" for target, symbols in sorted(used[room].items())]
        lines.append(f"{room:14} ◀ {', '.join(parts) or '–'}")
    return "\n".join([*lines, *map(describe_circle, find_circles(arrows))])


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--picture"]
    root = Path(words[0]) if words else ROOT
    if "--picture" in sys.argv[1:]:
        print(draw(root))
    faults = find_faults(root)
    print("\n".join(faults) or "rooms: nothing runs up")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
