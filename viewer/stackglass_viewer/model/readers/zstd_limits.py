"""Decompression of zstd in bounded memory, by Python 3.14's library or the package zstandard."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.readers.gzip_limits import MAX_UNPACKED_BYTES, Unpacked
from stackglass_viewer.model.readers.recognition import recognise

_LIBRARIES = ("compression.zstd", "zstandard")
_INPUT_BYTES = 1 << 10  # may unpack to 32 MiB, since four bytes may unpack to 128 KiB
_MAGIC = b"\x28\xb5\x2f\xfd"


def unpack_zstd(
    packed: bytes | bytearray, is_cancelled: Callable[[], bool], report: Callable[[float], None]
) -> Unpacked:
    """Unpack all frames of a zstd file, one after another. Raises ContentError, CancelledError.

    A file of an unreadable kind is refused after its first piece, and a decompression bomb once it
    exceeds MAX_UNPACKED_BYTES.
    """

    def report_or_cancel(share: float) -> None:
        if is_cancelled():
            raise CancelledError
        report(share)

    unpacked, n_behind = _unpack(packed, report_or_cancel, _refuse_unknown)
    warnings = (f"{n_behind} bytes behind its zstd data are ignored",) if n_behind else ()
    return Unpacked(unpacked, warnings)


def unpack_zstd_frames(packed: bytes | bytearray, report: Callable[[float], None]) -> bytearray:
    """Unpack a compressed part of a file. Raises ContentError, and what ``report`` raises."""
    return _unpack(packed, report, lambda _content: None)[0]


def unpack_zstd_profile(packed: bytes | bytearray, report: Callable[[float], None]) -> bytearray:
    """Unpack a compressed profile; other content is refused after its first piece. Raises
    ContentError, and what ``report`` raises."""
    return _unpack(packed, report, _refuse_unknown)[0]


def _refuse_unknown(content: bytearray) -> None:
    if not (kind := recognise(content)).is_readable:
        raise ContentError(f"unpacked, {kind.refusal}", kind.remedy)


def _unpack(
    packed: bytes | bytearray,
    report: Callable[[float], None],
    check: Callable[[bytearray], None],
) -> tuple[bytearray, int]:
    """Return the content and the number of bytes after it. ``check`` receives the first piece."""
    library = _find_library()
    unpacked = bytearray()
    stream = _open_frame(library)
    at = 0
    is_checked = False
    while at < len(packed):
        if stream.eof:
            if packed[at : at + 4] != _MAGIC:
                break
            stream = _open_frame(library)
        piece = bytes(packed[at : at + _INPUT_BYTES])
        try:
            unpacked += stream.decompress(piece)
        except library.ZstdError:
            raise ContentError("its zstd compression is damaged") from None
        at += len(piece) - len(stream.unused_data)
        if unpacked and not is_checked:
            is_checked = True
            check(unpacked)
        if len(unpacked) > MAX_UNPACKED_BYTES:
            raise ContentError(f"it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
        report(at / len(packed))
    if not stream.eof:
        raise ContentError("it is truncated: its zstd compression ends too early")
    return unpacked, len(packed) - at


def _find_library() -> Any:
    """Return a zstd library; both have the names used here. Raises ContentError if none is
    found."""
    for name in _LIBRARIES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ContentError(
        "it is compressed with zstd, which this Python cannot unpack",
        "pip install zstandard, or decompress it first: zstd -d FILE",
    )


def _open_frame(library: Any) -> Any:
    stream = library.ZstdDecompressor()
    return stream.decompressobj() if hasattr(stream, "decompressobj") else stream
