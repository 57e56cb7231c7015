"""Entry script: what the target runs on request (PEP 768), bootstrap.py and one call of it.

A thread of the target takes the request, opens the script and runs it. On a busy machine, this may
be long after the client has found another way in and left. So a second file lies beside the script:
without that file the script does nothing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.attach.socket_directory import SocketDirectory

_BOOTSTRAP = os.path.join(os.path.dirname(os.path.dirname(__file__)), "bootstrap.py")
_REMOVAL = """\
import sys
try:
    sys.modules["posix"].unlink({!r})
except OSError:
    pass
"""


class EntryScript:
    """The script of one attempt, beside the socket at ``socket_path``."""

    __slots__ = ("_directory", "_name", "_wanted", "may_run")

    def __init__(self, directory: SocketDirectory, socket_path: str) -> None:
        stem, _ = os.path.splitext(os.path.basename(socket_path))
        self._directory = directory
        self._name = f"{stem}.py"
        self._wanted = f"{stem}.wanted"
        self.may_run = False
        """Whether a thread has taken the request, and may not have opened the script yet."""

    @property
    def path(self) -> str:
        """The full path of the script."""
        return self._directory.path(self._name)

    def write(self, library: str, arguments: bytes) -> None:
        """Write both files. Raises AttachError."""
        self._directory.write(self._wanted, b"")
        source = build_source(library, arguments, self._directory.path(self._wanted))
        self._directory.write(self._name, _encode(source))

    def withdraw(self) -> None:
        """Make the script do nothing from now on. Raises AttachError.

        If a thread may still open the script, one that only removes itself takes its place: without
        a file, CPython would write a traceback to the program's standard error.
        """
        self._directory.remove(self._wanted)
        if self.may_run:
            self._directory.write(self._name, _encode(_REMOVAL.format(self.path)))
        else:
            self._directory.remove(self._name)


def build_source(library: str, arguments: bytes, wanted: str) -> str:
    """The script's text: it enters ``library`` if the file ``wanted`` is still there."""
    bootstrap = os.path.realpath(_BOOTSTRAP)
    with open(bootstrap, encoding="utf-8") as file:
        source = file.read()
    return (
        f"exec(compile({source!r}, {bootstrap!r}, 'exec'), "
        f"(namespace := {{'__name__': 'stackglass bootstrap'}}))\n"
        f"namespace['enter_if_wanted']({library!r}, {arguments!r}, {wanted!r})\n"
    )


def _encode(source: str) -> bytes:
    return source.encode("utf-8", "surrogateescape")
