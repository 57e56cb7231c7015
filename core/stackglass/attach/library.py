"""The extension as a file that a target can load."""

from __future__ import annotations

import os

from stackglass.attach.elf import ElfError
from stackglass.attach.injection import ENTRY
from stackglass.attach.memory_map import list_files
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import Proc
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.errors import AttachError, NativeError
from stackglass.native import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stackglass.attach.memory_map import Mapping


def find_library() -> str:
    """The path of the extension that this process runs; a target loads the same file. Raises
    NativeError."""
    path = _core.__file__
    if path is None or not os.path.isfile(path):
        raise NativeError(
            f"the extension is not a file of its own ({path})", "install stackglass unpacked"
        )
    return os.path.realpath(path)


def offer_library(uid: int, directory: SocketDirectory) -> str:
    """A path of the extension that a process of user ``uid`` can read.

    Root's own installation may be closed to that user: ``directory`` then gets a copy.
    """
    path = find_library()
    if uid == os.geteuid() or uid == 0 or is_open_to_all(path):
        return path
    stat = os.stat(path)
    name = f"_core-{stat.st_size:x}-{stat.st_mtime_ns:x}.so"
    if not directory.holds(name):
        with open(path, "rb") as file:
            directory.write(name, file.read())
    return directory.path(name)


def iterate_other_libraries(pid: int, own: str, proc: Proc) -> Iterator[str]:
    """Extensions of other installations that the process has loaded, and that are still there.

    ``own``: the path that this installation offers. A file that was replaced is left out, because
    the loader would load the new one; and one without the engine's entry, because other packages
    call their extensions ``_core``, too.
    """
    try:
        mappings = list_files(proc.read_maps(pid))
    except (AttachError, OSError):
        return  # the process is ending: the next step reports it
    for mapping in mappings:
        is_extension = mapping.name.startswith(("_core.", "_core-"))
        is_other = is_extension and mapping.path != own and not mapping.is_deleted
        if is_other and _has_entry(pid, mapping, proc):
            yield mapping.path


def _has_entry(pid: int, mapping: Mapping, proc: Proc) -> bool:
    try:
        with open_object(pid, mapping, proc) as file:
            return file.find_address(ENTRY) is not None
    except (AttachError, ElfError, OSError):
        return False


def is_open_to_all(path: str) -> bool:
    """Whether every user may read the file, and search all directories above it."""
    if not os.stat(path).st_mode & 0o004:
        return False
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 0o001:
            return False
    return True
