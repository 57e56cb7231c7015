"""Decompression of gzip in bounded memory: it stops as soon as the result is too large."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.readers.recognition import is_gzip, recognise

MAX_UNPACKED_BYTES = 1 << 30
"""Opening takes up to twelve times as much memory as the unpacked file."""

_INPUT_BYTES = 1 << 18
_OUTPUT_BYTES = 4 << 20
_GZIP_WBITS = 31  # zlib's code for gzip's header and trailer (16) and the largest window (15)


class Unpacked(NamedTuple):
    """Content of a gzip file, and warnings for the user."""

    content: bytearray
    warnings: tuple[str, ...]


def unpack_gzip(
    packed: bytes | bytearray, is_cancelled: Callable[[], bool], report: Callable[[float], None]
) -> Unpacked:
    """Unpack all members of a gzip file, one after another. Raises ContentError, CancelledError.

    A file of an unreadable kind is refused after its first piece, and a decompression bomb once it
    exceeds MAX_UNPACKED_BYTES.
    """
    unpacked = bytearray()
    stream = zlib.decompressobj(wbits=_GZIP_WBITS)
    at = 0
    while at < len(packed):
        if stream.eof:
            if not is_gzip(packed[at : at + 2]):
                break  # padding after the last member, which gzip allows, too
            stream = zlib.decompressobj(wbits=_GZIP_WBITS)
        piece = packed[at : at + _INPUT_BYTES]
        at += len(piece)
        while piece and not stream.eof:
            is_first = not unpacked
            unpacked += _decompress(stream, piece)
            piece = stream.unconsumed_tail
            if is_first and unpacked and not (kind := recognise(unpacked)).is_readable:
                raise ContentError(f"unpacked, {kind.refusal}", kind.remedy)
            if len(unpacked) > MAX_UNPACKED_BYTES:
                raise ContentError(f"it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
            if is_cancelled():
                raise CancelledError
        at -= len(stream.unused_data)
        report(at / len(packed))
    if not stream.eof:
        raise ContentError("it is truncated: its gzip compression ends too early")
    n_behind = len(bytes(packed[at:]).rstrip(b"\0"))
    warnings = (f"{n_behind} bytes behind its gzip data are ignored",) if n_behind else ()
    return Unpacked(unpacked, warnings)


def _decompress(stream: zlib._Decompress, piece: bytes | bytearray) -> bytes:
    try:
        return stream.decompress(piece, _OUTPUT_BYTES)
    except zlib.error:
        raise ContentError("its gzip compression is damaged") from None
