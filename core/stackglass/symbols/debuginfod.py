"""Debug files of debuginfod: the folder that all its clients share, and downloads into it.

Files are downloaded only if the user asks for it, because a server learns which libraries are in
use.
"""

from __future__ import annotations

import os
import re
import tempfile
from typing import Callable

from stackglass.errors import OutputError, StackglassError
from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.open_file import OpenFile

_FILE = "debuginfo"
_SERVERS = "DEBUGINFOD_URLS"
_BUILD_ID = re.compile(r"[0-9a-f]{4,128}$")
_TIMEOUT_S = 20.0
_CHUNK_BYTES = 1 << 18
_MAX_BYTES = 4 << 30

Progress = Callable[[int, int], None]
"""(bytes so far, total bytes; 0 = not known)."""


class DownloadError(StackglassError):
    """A server cannot be reached, or sent something other than the debug file."""


def find_cached(build_id: str) -> str:
    """Return the path for the debug file of a build, which need not exist."""
    return os.path.join(find_cache(), build_id, _FILE)


def find_cache() -> str:
    """Return the cache folder, chosen as libdebuginfod does."""
    given = os.environ.get("DEBUGINFOD_CACHE_PATH", "")
    if given:
        return given
    home = os.path.expanduser("~")
    old = os.path.join(home, ".debuginfod_client_cache")
    if os.path.isdir(old):
        return old
    cache = os.environ.get("XDG_CACHE_HOME", "") or os.path.join(home, ".cache")
    return os.path.join(cache, "debuginfod_client")


def list_servers() -> list[str]:
    """Return the servers in ``DEBUGINFOD_URLS``, in its order."""
    named = os.environ.get(_SERVERS, "").split()
    return [each.rstrip("/") for each in named if each.startswith(("http://", "https://"))]


def download(build_id: str, servers: list[str], progress: Progress) -> int:
    """Download the debug file of a build into the cache. Returns its size in bytes; 0 = no server
    has it. Raises DownloadError, OutputError; after an exception nothing is left behind."""
    if not _BUILD_ID.match(build_id):
        raise DownloadError(f"{build_id!r} is no build id")
    for server in servers:
        size = _download(f"{server}/buildid/{build_id}/{_FILE}", build_id, progress)
        if size:
            return size
    return 0


def _download(url: str, build_id: str, progress: Progress) -> int:
    import http.client  # here for start-up time
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=_TIMEOUT_S) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            return _store(build_id, url, lambda: answer.read(_CHUNK_BYTES), size, progress)
    except HTTPError as error:
        error.close()
        if error.code == 404:
            return 0
        raise DownloadError(f"{url} cannot be read: {error.code} {error.reason}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(f"{url} cannot be read: {reason}") from None


def _store(
    build_id: str, url: str, read: Callable[[], bytes], size: int, progress: Progress
) -> int:
    path = find_cached(build_id)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd, made = tempfile.mkstemp(dir=os.path.dirname(path), prefix="stackglass-")
    except OSError as error:
        raise _explain(path, error) from error
    try:
        n_bytes = _copy(fd, path, read, size, progress)
        if size and n_bytes != size:
            raise DownloadError(f"{url} cannot be read: it was cut off")
        if _read_build_id(made) != build_id:
            raise DownloadError(f"{url} is not the debug file of this build")
        try:
            os.replace(made, path)
        except OSError as error:
            raise _explain(path, error) from error
    except BaseException:
        os.unlink(made)
        raise
    return n_bytes


def _copy(fd: int, path: str, read: Callable[[], bytes], size: int, progress: Progress) -> int:
    """Copy what ``read`` returns, and return the number of bytes."""
    n_bytes = 0
    with os.fdopen(fd, "wb", buffering=0) as file:  # a buffer would fail once more as it is closed
        while chunk := read():
            n_bytes += len(chunk)
            if n_bytes > _MAX_BYTES:
                raise DownloadError("a debug file is too large: more than 4 GiB")
            try:
                left = memoryview(chunk)
                while left:
                    left = left[file.write(left) :]
            except OSError as error:
                raise _explain(path, error) from error
            progress(n_bytes, size)
    return n_bytes


def _explain(path: str, error: OSError) -> OutputError:
    return OutputError(f"cannot write {path}: {error.strerror}")


def _read_build_id(path: str) -> str:
    try:
        return ElfFile(OpenFile(path).read).build_id
    except (OSError, ElfFileError):
        return ""
