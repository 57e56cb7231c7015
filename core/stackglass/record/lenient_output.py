"""Lenient output: writes a text to a terminal or a pipe that may have gone.

Neither the recording nor the exit status depends on whether the text is read.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def write_text(stream: TextIO | None, text: str) -> None:
    """Write and flush ``text``, or drop it. ``stream`` None: the descriptor was closed from the
    start."""
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):  # ValueError: the stream was closed
        try:  # without contextlib, which takes a millisecond to load
            _drop_buffer(stream)
        except (OSError, ValueError):
            return


def _drop_buffer(stream: TextIO) -> None:
    """Empty the buffer. Otherwise the interpreter would try to write it at its end, fail, and exit
    with status 120."""
    descriptor = stream.fileno()
    kept = os.dup(descriptor)
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.dup2(null, descriptor)
        stream.flush()
    finally:
        os.dup2(kept, descriptor)
        os.close(null)
        os.close(kept)
