"""Socket directory: the private directory in which engines of one user listen, and its files.

::

    $XDG_RUNTIME_DIR/stackglass, /run/user/UID/stackglass or /tmp/stackglass-UID
                                  0700, the target's user's
        4711-8123456.sock         PID and start time: no two processes ever share both
        4711-8123456.py           script that a process from 3.14 on runs, while it is being entered
        4711-8123456.wanted       empty; without this file the script does nothing
        _core-….so                a copy of the extension, if that user cannot read root's own
"""

from __future__ import annotations

import errno
import os
import stat
import time

from stackglass.attach.errors import NoSuchProcessError, NotAllowedError
from stackglass.attach.proc import PROC, Proc
from stackglass.errors import AttachError

_MAX_SOCKET_PATH_BYTES = 107  # sun_path, less its NUL
_LONGEST_NAME = "4194304-18446744073709551615.sock"
_ENDS = (".sock", ".py", ".wanted")
_LONGEST_ENTRY_S = 24 * 3600  # no attempt to enter a process takes so long


def _find_temporary() -> str:
    """``tempfile.gettempdir()`` without that slow import; "/" = no directory can be used."""
    named = (os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))
    for folder in (*filter(None, named), "/tmp", "/var/tmp", "/usr/tmp"):
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return os.path.abspath(folder)
    return "/"


def list_folders(uid: int) -> list[str]:
    """Where an engine of that user may listen, the preferred place first."""
    folders = []
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and uid == os.geteuid():
        folders.append(runtime)
    folders.append(f"/run/user/{uid}")
    found = [os.path.join(folder, "stackglass") for folder in folders if _is_owned_by(folder, uid)]
    for folder in (_find_temporary(), "/tmp"):
        found.append(os.path.join(folder, f"stackglass-{uid}"))
    fitting = [path for path in found if _fits(path)]
    return list(dict.fromkeys(fitting))


def name_socket(pid: int, start_time: int) -> str:
    """The file name of a process's socket."""
    return f"{pid}-{start_time}.sock"


def find_socket(pid: int, start_time: int, uid: int, proc: Proc = PROC) -> str | None:
    """The path of the socket of an engine that is in the process already, wherever it listens; None
    = none is known."""
    name = name_socket(pid, start_time)
    for folder in list_folders(uid):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    try:
        table = proc.read_bytes(pid, "net", "unix").decode("utf-8", "surrogateescape")
    except OSError:
        return None  # not permitted, so the socket would not be either
    for line in table.split("\n"):  # a name may contain line ends, even two in a row
        path = "".join(line.split(None, 7)[-1:])
        if path.endswith("/" + name):
            return path
    return None


class SocketDirectory:
    """The directory, made if need be and verified. A context manager that keeps the directory open,
    so that no other process can replace it meanwhile."""

    __slots__ = ("_fd", "root", "uid")

    def __init__(self, uid: int) -> None:
        """Raises NotAllowedError if another user made it, if others may read or enter it, or if it
        cannot be made."""
        self.uid = uid
        self.root = list_folders(uid)[0]
        is_new = self._make()
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._fd = os.open(self.root, flags)
        except OSError as error:
            raise self._unsafe(error.strerror or "cannot be opened") from error
        if is_new and uid != os.geteuid():
            os.fchown(self._fd, uid, -1)
        found = os.fstat(self._fd)
        if found.st_uid != uid or stat.S_IMODE(found.st_mode) & 0o077:
            os.close(self._fd)
            raise self._unsafe("its owner or its permissions let other users in")

    def __enter__(self) -> SocketDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def path(self, name: str) -> str:
        """The full path of a file in it."""
        return os.path.join(self.root, name)

    def holds(self, name: str) -> bool:
        """Whether the directory has a file of this name."""
        try:
            os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def write(self, name: str, content: bytes) -> None:
        """Put a file there in one step, readable by the directory's user alone. Raises
        AttachError."""
        temporary = f".{os.urandom(8).hex()}"
        try:
            self._write(temporary, content, 0o500 if name.endswith(".so") else 0o400)
            os.replace(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError as error:
            self.remove(temporary)
            raise AttachError(f"cannot write {self.path(name)}: {error.strerror}") from error

    def _write(self, name: str, content: bytes, mode: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o600, dir_fd=self._fd)
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            if self.uid != os.geteuid():
                os.fchown(fd, self.uid, -1)
            os.fchmod(fd, mode)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        if not self.holds(name):
            return  # without waiting for the directory's lock, as unlink would
        try:
            os.unlink(name, dir_fd=self._fd)
        except FileNotFoundError:
            return  # removed meanwhile

    def remove_unbound(self, name: str) -> None:
        """Remove a socket, unless a process listens there: an engine may have begun meanwhile."""
        if self.holds(name) and not _is_bound(self.path(name)):
            self.remove(name)

    def remove_stale(self, proc: Proc = PROC) -> None:
        """Remove the files of processes that have ended.

        Containers may share the directory, and a process of another PID namespace looks as if it
        had ended. So a file that may be in use there stays.
        """
        for name in os.listdir(self._fd):
            stem, end = os.path.splitext(name)
            pid, _, start_time = stem.partition("-")
            has_process = end in _ENDS and pid.isdecimal() and start_time.isdecimal()
            if not has_process or _is_alive(int(pid), int(start_time), proc):
                continue
            if not (_is_bound(self.path(name)) if end == ".sock" else self._is_young(name)):
                self.remove(name)

    def _is_young(self, name: str) -> bool:
        """Whether an attempt to enter a process may still use the file."""
        try:
            found = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return time.time() - found.st_mtime < _LONGEST_ENTRY_S

    def _make(self) -> bool:
        """Make the directory, if it does not exist; returns whether it is new.

        Looks first: ``mkdir`` waits for the lock of the parent directory, which another process may
        hold for seconds.
        """
        if os.path.lexists(self.root):
            return False
        try:
            os.mkdir(self.root, 0o700)
        except FileExistsError:
            return False
        except OSError as error:
            raise NotAllowedError(
                f"the directory {self.root} for sockets cannot be made ({error.strerror})",
                "set XDG_RUNTIME_DIR or TMPDIR to a folder of yours that you may write to",
            ) from error
        return True

    def _unsafe(self, why: str) -> NotAllowedError:
        return NotAllowedError(
            f"the directory {self.root} cannot be used for sockets ({why})",
            f"remove it: sudo rm -r {self.root}",
        )


def _fits(path: str) -> bool:
    return len(os.fsencode(os.path.join(path, _LONGEST_NAME))) <= _MAX_SOCKET_PATH_BYTES


def _is_owned_by(path: str, uid: int) -> bool:
    try:
        return os.stat(path).st_uid == uid
    except OSError:
        return False


def _is_bound(path: str) -> bool:
    """Whether a process, of any namespace, has a socket there.

    The engine's socket is of another type, so it refuses this connection before its process could
    notice: a client that leaves again might be its last one.
    """
    import _socket  # for start-up time: socket also imports enum, collections and selectors

    probe = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    try:
        return probe.connect_ex(path) not in (errno.ECONNREFUSED, errno.ENOENT)
    finally:
        probe.close()


def _is_alive(pid: int, start_time: int, proc: Proc) -> bool:
    try:
        return proc.read_stat(pid).start_time == start_time
    except NoSuchProcessError:
        return False
