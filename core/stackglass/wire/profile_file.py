"""Atomic writes: a path always has a whole file, the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile

from stackglass.errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

STANDARD_OUTPUT = "-"
_STATUS = "/proc/thread-self/status"
_PREFIX_LETTERS = 50
"""Letters of a name with which its temporary file begins: a longer name might not fit."""


def write_file(path: str, content: bytes) -> None:
    """Write ``content`` to ``path``; ``-`` is standard output.

    Writes a temporary file beside ``path``, flushes it to the disk, and renames it. Raises
    OutputError; then the old file is still at ``path``.
    """
    write_pieces(path, (content,))


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """Write ``pieces`` to ``path`` as ``write_file`` does. An OSError of ``pieces`` becomes an
    OutputError, too.

    Raises BrokenPipeError if the reader of standard output has gone.
    """
    if path == STANDARD_OUTPUT:
        _write_output(pieces)
        return
    with replace_file(path) as file:
        file.writelines(pieces)


def _write_output(pieces: Iterable[bytes]) -> None:
    if sys.stdout is None:  # the descriptor was closed from the start
        raise OutputError("cannot write to standard output: it is closed")
    try:
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror or error}") from error


@contextlib.contextmanager
def replace_file(path: str) -> Iterator[BinaryIO]:
    """Yield a file to write, which replaces the file at ``path`` once the block has ended.

    Raises OutputError for an OSError, even of the block. After any exception the old file is still
    at ``path``.
    """
    try:
        with _replace(path) as file:
            yield file
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def check_writable(path: str) -> None:
    """Check before a recording that ``path`` can be written. Raises OutputError."""
    if path == STANDARD_OUTPUT:
        return
    if not path:
        raise OutputError("cannot write a file without a name")
    if os.path.isdir(path):
        raise OutputError(f"cannot write {path}: it is a folder", "name a file in it")
    if _is_special(path):  # its folder does not matter
        if not os.access(path, os.W_OK):
            raise OutputError(f"cannot write {path}: no permission")
        return
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)
    except OSError as error:  # the name is too long, for one
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise OutputError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write {path}: no permission to write in the folder {folder}")


def make_folder(path: str) -> None:
    """Make a folder, and those above it, unless it exists. Raises OutputError."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {path}: {error.strerror}") from error


@contextlib.contextmanager
def _replace(path: str) -> Iterator[BinaryIO]:
    if _is_special(path):
        with open(path, "wb") as device:
            yield device
        return
    path = os.path.realpath(path)  # so that a link stays, and its target is replaced
    descriptor, temporary = tempfile.mkstemp(
        prefix=f".{os.path.basename(path)[:_PREFIX_LETTERS]}.", dir=os.path.dirname(path)
    )
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            with contextlib.suppress(PermissionError):  # as on FAT: the mount has chosen all modes
                os.fchmod(file.fileno(), _choose_mode(path))
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_folder(os.path.dirname(path))


def _is_special(path: str) -> bool:
    """Return whether a path is a device or a pipe, which cannot be replaced by a file."""
    return os.path.exists(path) and not os.path.isfile(path)


def _choose_mode(path: str) -> int:
    """Return the mode of the file that is replaced, else 0666 without the bits of the umask."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        return 0o666 & ~_read_umask()


def _read_umask() -> int:
    """Return the umask, which Linux shows since 4.7. Earlier it must be set to be read, for a
    moment and for all threads: files that they create meanwhile are for the owner alone."""
    with contextlib.suppress(OSError), open(_STATUS, "rb") as file:
        for line in file:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _flush_folder(folder: str) -> None:
    """Flush the rename to the disk. Some file systems refuse this, and so does a folder that may be
    written and not read; the path then has a whole file, too, the old one or the new one."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
