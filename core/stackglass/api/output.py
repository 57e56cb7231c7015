"""Outputs of profiles: a path, or anything with ``write(bytes)``."""

from __future__ import annotations

import io
import os
from typing import Protocol, Union

from stackglass.errors import OutputError
from stackglass.wire import profile_file


class Writer(Protocol):
    """A binary file, raw or buffered, or another object with ``write``."""

    def write(self, content: bytes, /) -> object:
        """Take the bytes; a raw file takes some of them and returns how many."""


Output = Union[str, "os.PathLike[str]", Writer]


def settle(output: Output) -> str | Writer:
    """Return the output, a path made absolute: the program may change its folder before the file is
    written.

    Checks now, when there is no profile to lose: raises OutputError for a path that cannot be
    written, TypeError for an object that is no output.
    """
    if isinstance(output, io.TextIOBase):
        raise TypeError(
            "a profile is bytes: open its file in mode 'wb', not as text; of standard output take "
            "sys.stdout.buffer"
        )
    if not isinstance(output, (str, os.PathLike)):
        if not callable(getattr(output, "write", None)):
            raise TypeError(
                f"a profile goes to a path or to an object with write(), not to {output!r:.80}"
            )
        return output
    path = os.path.abspath(os.fspath(output))
    profile_file.check_writable(path)
    return path


def write(output: str | Writer, content: bytes) -> None:
    """Write all of ``content``. A file at a path is replaced as a whole.

    Raises OutputError, and whatever the binary file raises.
    """
    if isinstance(output, str):
        profile_file.write_file(output, content)
        return
    n_written = 0
    while n_written < len(content):
        n_taken = output.write(content[n_written:])
        if n_taken is None and not isinstance(output, io.RawIOBase):
            return  # an object with a write() of its own that reports no count takes everything
        if not isinstance(n_taken, int) or n_taken <= 0:
            raise OutputError(
                f"cannot write the profile: the file accepted only {n_written} of "
                f"{len(content)} bytes"
            )
        n_written += n_taken
