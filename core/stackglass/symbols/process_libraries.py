"""Libraries of a running process, and whether their debug information is on this machine."""

from __future__ import annotations

from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.symbols.debug_file import open_debug_file
from stackglass.symbols.dwarf.debug_info import has_debug_info
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.map_rows import read_map
from stackglass.symbols.open_file import OpenFile


class Library(NamedTuple):
    """A file with machine code that a process has loaded."""

    path: str  # in the process
    build_id: str  # "" = the file has none
    has_lines: bool  # the file or its debug file has debug information


def list_libraries(pid: int) -> list[Library]:
    """Return the libraries by address, the program's own file included. Raises AttachError if there
    is no such process, or it is another user's."""
    try:
        rows = read_map(pid)
    except (FileNotFoundError, ProcessLookupError):
        raise AttachError(f"there is no process {pid}") from None
    except OSError as error:
        reason = error.strerror
        raise AttachError(f"cannot read the libraries of process {pid}: {reason}") from None
    paths = [row[5] for row in rows if len(row) == 6 and "x" in row[1] and row[5][0] == "/"]
    root = f"/proc/{pid}/root"
    return [each for path in dict.fromkeys(paths) for each in _read(root, path)]


def _read(root: str, path: str) -> list[Library]:
    """Return the library at ``path``; [] = the file cannot be read, or is not ELF."""
    try:
        elf = ElfFile(OpenFile(root + path).read)
    except (OSError, ElfFileError):
        return []
    debug = None if has_debug_info(elf) else open_debug_file(elf, path, root)
    has_lines = has_debug_info(elf) or (debug is not None and has_debug_info(debug))
    return [Library(path, elf.build_id, has_lines)]
