"""Zstandard decompression for debug sections: by the standard library from 3.14 on, else by the
system's libzstd."""

from __future__ import annotations

import ctypes

from stackglass.symbols.dwarf.errors import DwarfError

_LIBRARY = "libzstd.so.1"


def unpack(packed: bytes, most: int) -> bytes:
    """Return the content, at most ``most`` bytes. Raises DwarfError."""
    if not most:
        return b""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return _unpack_by_library(packed, most)
    try:
        content: bytes = zstd.ZstdDecompressor().decompress(packed, most)
    except zstd.ZstdError:
        raise DwarfError("a compressed section is damaged") from None
    return content


def _unpack_by_library(packed: bytes, most: int) -> bytes:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        raise DwarfError(
            "its debug information is compressed with zstd, and there is neither Python 3.14 nor "
            f"{_LIBRARY} to read it"
        ) from None
    decompress, is_error = library.ZSTD_decompress, library.ZSTD_isError
    decompress.restype = ctypes.c_size_t
    decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    is_error.restype, is_error.argtypes = ctypes.c_uint, (ctypes.c_size_t,)
    content = ctypes.create_string_buffer(most)
    size = decompress(content, most, packed, len(packed))
    if is_error(size):
        raise DwarfError("a compressed section is damaged")
    return content.raw[:size]
