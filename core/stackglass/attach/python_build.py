"""Python build: which Python a process runs, found from outside without touching it."""

from __future__ import annotations

import struct

from stackglass.attach.elf import ElfError
from stackglass.attach.memory_map import Mapping, list_files
from stackglass.attach.object_file import ObjectFile, open_object
from stackglass.attach.proc import PROC, Proc
from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FIRST_MINOR, LAST_MINOR = 9, 15
"""The minor versions of Python 3 that the engine knows."""

_COOKIE = b"xdebugpy"
_DEBUG_OFFSETS = struct.Struct("<8sQQ")  # cookie, version, is free-threaded
_LEVELS = {0xA: "a", 0xB: "b", 0xC: "rc"}
_WITHOUT_SYMBOL = ["2.7", "3.10", *(f"3.{minor}" for minor in range(10))]  # for their version
_LONGEST_REST = 8  # with its NUL: 10rc12+
_PIECE_BYTES = 256 * 1024  # searched at a time
_LONGEST_VERSION = 16
_IN_NUMBERS = [b"%d" % digit for digit in range(10)] + [b"."]
_FIRST_WITH_OFFSETS = 0x030D0000
_FIRST_WITH_REQUESTS = 14


class PythonBuild(NamedTuple):
    """The interpreter in a process."""

    version: str  # "3.13.0", "3.14.0rc1"; only "3.9" if no more is known; "" = unknown
    major: int
    minor: int
    is_free_threaded: bool
    path: str  # of the file that holds the interpreter, as the process sees it
    runtime: int  # address of _PyRuntime in the process; 0 = not exported (before 3.7)
    has_debug_offsets: bool  # _PyRuntime describes itself: 3.13 and later

    @property
    def has_requests(self) -> bool:
        """Whether it can run a file on request (PEP 768), by a protocol of its minor version."""
        return self.has_debug_offsets and self.minor >= _FIRST_WITH_REQUESTS


class _FileFacts(NamedTuple):
    """Facts from a file, independent of where it is mapped."""

    version: str
    major: int
    minor: int
    is_free_threaded: bool
    runtime: int  # as linked
    has_debug_offsets: bool


def find_python(pid: int, maps: list[Mapping], proc: Proc = PROC) -> PythonBuild | None:
    """The Python in the process, or None. Raises NoSuchProcessError, PermissionError."""
    for mapping in _list_candidates(pid, maps, proc):
        try:
            facts, bias = _read_facts(pid, mapping, proc)
        except ElfError:
            continue  # a data file, or for another processor: not a Python of this machine
        if facts is not None:
            runtime = facts.runtime + bias if facts.runtime else 0
            return PythonBuild(
                facts.version,
                facts.major,
                facts.minor,
                facts.is_free_threaded,
                mapping.path,
                runtime,
                facts.has_debug_offsets,
            )
    return None


def _list_candidates(pid: int, maps: list[Mapping], proc: Proc) -> list[Mapping]:
    """Files that may hold an interpreter, the likeliest first.

    /proc/PID/exe alone will not do: it is the dynamic loader for a program that was started
    through it, and any name at all for a program that embeds Python.
    """
    files = list_files(maps)
    libraries = [file for file in files if file.name.lower().startswith("libpython")]
    named = [
        file for file in files if "python" in file.name.lower() and ".cpython-" not in file.name
    ]
    executable = proc.read_link(pid, "exe")
    programs = [file for file in files if file.path == executable]
    found: dict[int, Mapping] = {}
    for file in libraries + named + programs:
        found.setdefault(file.start, file)
    return list(found.values())


def _read_facts(pid: int, mapping: Mapping, proc: Proc) -> tuple[_FileFacts | None, int]:
    with open_object(pid, mapping, proc) as file:
        if file.size_bytes is None:
            return _find_facts(file, mapping.name), file.bias
        # A busy machine runs many processes of one Python: look at its file once.
        key = (mapping.path, mapping.inode, file.size_bytes)
        facts = _cache.get(key)
        if facts is None and key not in _cache:
            facts = _cache[key] = _find_facts(file, mapping.name)
        return facts, file.bias


_cache: dict[tuple[str, int, int], _FileFacts | None] = {}
"""By path, inode and size. Any thread: two threads write equal facts for the same key."""


def _find_facts(file: ObjectFile, name: str) -> _FileFacts | None:
    """The facts of a file of this name; None if it holds no interpreter."""
    runtime = file.elf.find_symbol("_PyRuntime")
    if runtime is None and file.elf.find_symbol("Py_GetVersion") is None:
        return None
    number, is_free_threaded, has_offsets = _read_number(file)
    if number:
        return _FileFacts(
            format_version(number),
            number >> 24,
            number >> 16 & 0xFF,
            is_free_threaded,
            runtime.address if runtime else 0,
            has_offsets,
        )
    major, minor, version = _guess_version(file, name)
    return _FileFacts(version, major, minor, False, runtime.address if runtime else 0, False)


def _read_number(file: ObjectFile) -> tuple[int, bool, bool]:
    """PY_VERSION_HEX (0 = unknown), free-threaded, whether there are debug offsets."""
    runtime = file.elf.find_symbol("_PyRuntime")
    if runtime is not None:
        data = file.elf.read_at(runtime.address, _DEBUG_OFFSETS.size)
        if data[:8] == _COOKIE and len(data) == _DEBUG_OFFSETS.size:
            _, number, is_free_threaded = _DEBUG_OFFSETS.unpack(data)
            return number, bool(is_free_threaded), number >= _FIRST_WITH_OFFSETS
    symbol = file.elf.find_symbol("Py_Version")  # 3.11 and later
    if symbol is not None:
        data = file.elf.read_at(symbol.address, 4)
        if len(data) == 4:
            return struct.unpack("<I", data)[0], False, False
    return 0, False, False


def _guess_version(file: ObjectFile, name: str) -> tuple[int, int, str]:
    """Major, minor and version, from the file's name and a string in the file: before 3.11 no
    symbol has them."""
    named = _read_name(name)
    for data in _read_pieces(file, bool(named)):
        version = _find_version(data, [named] if named else _WITHOUT_SYMBOL)
        if version:
            major, minor = version.split(".")[:2]
            return int(major), int(minor), version
    if not named:
        return 0, 0, ""
    major, minor = named.split(".")
    return int(major), int(minor), named


def _read_pieces(file: ObjectFile, is_named: bool) -> Iterator[bytes]:
    """The mapped segments of the file, those with strings first: whole, or with ``is_named`` in
    pieces that overlap by the longest version. Each begins with the byte in front of it, 0 at the
    start of a segment. None of a file of which only the memory can be read."""
    segments = file.elf.segments if file.size_bytes is not None else []
    for segment in sorted(segments, key=lambda one: (one.is_executable, one.is_writable)):
        step = _PIECE_BYTES if is_named else max(segment.file_size, 1)
        for start in range(0, segment.file_size, step):
            address, size = segment.address + start, step + _LONGEST_VERSION
            if start:
                yield file.elf.read_at(address - 1, 1 + size)
            else:
                yield b"\0" + file.elf.read_at(address, size)


def _read_name(name: str) -> str:
    """``3.9`` of ``libpython3.9.so.1.0``; "" = the name has none."""
    for part in name.lower().split("python")[1:]:
        major, _, rest = part.partition(".")
        minor = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        if major in ("2", "3") and minor:
            return f"{major}.{minor}"
    return ""


def _find_version(data: bytes, prefixes: Sequence[str]) -> str:
    """The first string behind the first byte that is a version with one of these prefixes, as in
    ``3.9.18``; "" = none. The first byte shows whether a number begins before it."""
    for prefix in prefixes:
        start = f"{prefix}.".encode()
        at = data.find(start, 1)
        while at >= 0:
            rest = data[at + len(start) : at + len(start) + _LONGEST_REST].partition(b"\0")
            # The linker lets strings share their ends, so anything else may stand before it.
            is_whole = data[at - 1 : at] not in _IN_NUMBERS
            if rest[1] and is_whole and _ends_version(rest[0].decode("ascii", "replace")):
                return (start + rest[0]).decode().rstrip("+")
            at = data.find(start, at + 1)
    return ""


def _ends_version(rest: str) -> bool:
    """Whether the text is like ``18``, ``0rc1`` or ``2+``."""
    rest = rest[:-1] if rest.endswith("+") else rest
    for level in _LEVELS.values():
        if level in rest:
            rest, _, number = rest.partition(level)
            return rest.isdigit() and len(rest) <= 2 and number.isdigit()
    return rest.isdigit() and len(rest) <= 2


def format_version(number: int) -> str:
    """PY_VERSION_HEX as Python writes it: 0x030e00c1 → "3.14.0rc1"."""
    text = f"{number >> 24}.{number >> 16 & 0xFF}.{number >> 8 & 0xFF}"
    level = number >> 4 & 0xF
    return text + (f"{_LEVELS[level]}{number & 0xF}" if level in _LEVELS else "")
