"""Opening of profile files. The content decides on the reader, never the file's name."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.austin_text import read_austin_text
from stackglass_viewer.model.readers.callgrind import read_callgrind
from stackglass_viewer.model.readers.collapsed import read_collapsed
from stackglass_viewer.model.readers.contention_text import read_contention_text
from stackglass_viewer.model.readers.count_text import read_count_text
from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.model.readers.cpuprofile import read_cpuprofile
from stackglass_viewer.model.readers.cpuprofile_tree import read_cpuprofile_tree
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.firefox import read_firefox
from stackglass_viewer.model.readers.goroutine_dump import read_goroutine_dump
from stackglass_viewer.model.readers.gzip_limits import MAX_UNPACKED_BYTES, unpack_gzip
from stackglass_viewer.model.readers.heap_text import read_heap_text
from stackglass_viewer.model.readers.heapprofile import read_heapprofile
from stackglass_viewer.model.readers.jemalloc_heap import read_jemalloc_heap
from stackglass_viewer.model.readers.legacy_cpu import read_legacy_cpu
from stackglass_viewer.model.readers.legacy_java import read_java_text
from stackglass_viewer.model.readers.massif import read_massif
from stackglass_viewer.model.readers.memray_file import read_memray
from stackglass_viewer.model.readers.mojo import read_mojo
from stackglass_viewer.model.readers.otlp import (
    read_otlp,
    read_otlp_json,
    read_otlp_messages,
    read_otlp_packed,
)
from stackglass_viewer.model.readers.perf_script import read_perf_script
from stackglass_viewer.model.readers.pprof import read_pprof
from stackglass_viewer.model.readers.pyinstrument import read_pyinstrument
from stackglass_viewer.model.readers.recognition import is_gzip, is_zstd, recognise
from stackglass_viewer.model.readers.scalene import read_scalene
from stackglass_viewer.model.readers.speedscope import read_speedscope
from stackglass_viewer.model.readers.stackprof import read_stackprof
from stackglass_viewer.model.readers.tachyon import read_tachyon
from stackglass_viewer.model.readers.tachyon_lines import read_tachyon_lines
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.model.readers.thread_dump import read_thread_dump
from stackglass_viewer.model.readers.thread_text import read_thread_text
from stackglass_viewer.model.readers.trace_events import read_trace_events
from stackglass_viewer.model.readers.zstd_limits import unpack_zstd
from stackglass_viewer.native import _loops

IsCancelled = Callable[[], bool]
Report = Callable[[float], None]

_PIECE_BYTES = 4 << 20
_SHARE_OF_READING = 0.3  # part of the progress for reading and unpacking
_SHARE_OF_PACKED = 0.15  # part of the progress for reading a packed file

_READERS: dict[FileKind, Callable[[bytes | bytearray, Progress], Profile | FunctionTable]] = {
    FileKind.LEGACY_CPU: read_legacy_cpu,
    FileKind.HEAP_TEXT: read_heap_text,
    FileKind.JEMALLOC_HEAP: read_jemalloc_heap,
    FileKind.CONTENTION_TEXT: read_contention_text,
    FileKind.COUNT_TEXT: read_count_text,
    FileKind.THREAD_TEXT: read_thread_text,
    FileKind.GOROUTINE_DUMP: read_goroutine_dump,
    FileKind.THREAD_DUMP: read_thread_dump,
    FileKind.JAVA_TEXT: read_java_text,
    FileKind.COLLAPSED: read_collapsed,
    FileKind.CALLGRIND: read_callgrind,
    FileKind.MASSIF: read_massif,
    FileKind.PERF_SCRIPT: read_perf_script,
    FileKind.AUSTIN: read_austin_text,
    FileKind.MOJO: read_mojo,
    FileKind.SCALENE: read_scalene,
    FileKind.TACHYON: read_tachyon,
    FileKind.TACHYON_LINES: read_tachyon_lines,
    FileKind.OTLP: read_otlp,
    FileKind.OTLP_JSON: read_otlp_json,
    FileKind.OTLP_MESSAGES: read_otlp_messages,
    FileKind.TRACE_EVENTS: read_trace_events,
    FileKind.CPUPROFILE: read_cpuprofile,
    FileKind.CPUPROFILE_TREE: read_cpuprofile_tree,
    FileKind.STACKPROF: read_stackprof,
    FileKind.OTLP_PACKED: read_otlp_packed,
    FileKind.SPEEDSCOPE: read_speedscope,
    FileKind.FIREFOX: read_firefox,
    FileKind.PYINSTRUMENT: read_pyinstrument,
    FileKind.HEAPPROFILE: read_heapprofile,
}
"""Readers that report to a `Progress`, by kind. `_parse` calls the readers of other kinds."""


def _never() -> bool:
    return False


def _ignore(_share: float) -> None:
    pass


def open_profile(
    path: str | os.PathLike[str],
    *,
    is_cancelled: IsCancelled = _never,
    report: Report = _ignore,
) -> Profile | FunctionTable:
    """Read a file. May run in any thread; loops in C run without the GIL.

    ``report`` receives the share done, 0 … 1, in the calling thread; ``is_cancelled`` is called
    at the same moments. Raises ContentError with one line for the user, CancelledError.
    """
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            before = os.fstat(file.fileno())
            content = _read_file(file, before.st_size, name, is_cancelled, report)
            warnings = _compare(before, os.fstat(file.fileno()), len(content), name)
        profile = open_content(content, name, is_cancelled=is_cancelled, report=report)
        return replace(profile, warnings=(*warnings, *profile.warnings))
    except MemoryError:
        raise _refuse_for_memory(name) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ContentError(f"cannot open {name}: {reason}") from error


def open_stream(
    file: BinaryIO,
    name: str,
    *,
    is_cancelled: IsCancelled = _never,
    report: Report = _ignore,
) -> Profile | FunctionTable:
    """Read a pipe to its end, as `open_profile` reads a file. ``name`` is for messages. Also raises
    OSError."""
    content = bytearray()
    try:
        _read_rest(file, content, name, is_cancelled)
    except MemoryError:
        raise _refuse_for_memory(name) from None
    report(0.0)
    return open_content(content, name, is_cancelled=is_cancelled, report=report)


def _read_file(
    file: BufferedReader, n_bytes: int, name: str, is_cancelled: IsCancelled, report: Report
) -> bytearray:
    """Return the whole content, which may be longer or shorter than ``n_bytes``, the file's
    size."""
    _check_size(n_bytes, name)
    report(0.0)
    content = _loops.allocate_content(n_bytes)
    n_read = 0
    with memoryview(content) as buffer:
        while n_new := file.readinto(buffer[n_read : n_read + _PIECE_BYTES]):
            n_read += n_new
            share = _SHARE_OF_PACKED if _is_packed(content) else _SHARE_OF_READING
            report(share * n_read / n_bytes)
            if is_cancelled():
                raise CancelledError
    del content[n_read:]
    _read_rest(file, content, name, is_cancelled)
    return content


def _read_rest(file: BinaryIO, content: bytearray, name: str, is_cancelled: IsCancelled) -> None:
    while piece := file.read(_PIECE_BYTES):
        content += piece
        _check_size(len(content), name)
        if is_cancelled():
            raise CancelledError


def _compare(
    before: os.stat_result, after: os.stat_result, n_read: int, name: str
) -> tuple[str, ...]:
    """Return a warning if the file grew while it was read. Raises ContentError if the content may
    be a mix of two versions of the file."""
    if not stat.S_ISREG(before.st_mode) or before.st_mtime_ns == after.st_mtime_ns:
        return ()
    if n_read < before.st_size or after.st_size <= before.st_size:
        raise ContentError(
            f"cannot open {name}: another program changed it while it was read",
            "open it again once that program is done",
        )
    return (f"{name} grew while it was read: the part written later is not shown",)


def open_content(
    content: bytes | bytearray,
    name: str,
    *,
    is_cancelled: IsCancelled = _never,
    report: Report = _ignore,
) -> Profile | FunctionTable:
    """Read the content of a file, as `open_profile` does. ``name`` is for messages."""
    try:
        warnings: tuple[str, ...] = ()
        if _is_packed(content):
            unpack = unpack_gzip if is_gzip(content) else unpack_zstd
            unpacked = unpack(content, is_cancelled, lambda done: report(_share_unpacked(done)))
            content, warnings = unpacked.content, unpacked.warnings
        profile = _parse(content, is_cancelled, report)
        if not profile.sample_types:
            raise ContentError("it has no sample types, so there is nothing to show")
        return replace(profile, warnings=(*warnings, *profile.warnings))
    except MemoryError:
        raise _refuse_for_memory(name) from None
    except ContentError as error:
        raise ContentError(f"cannot open {name}: {error.message}", error.remedy) from error


def _check_size(n_bytes: int, name: str) -> None:
    if n_bytes > MAX_UNPACKED_BYTES:
        raise ContentError(f"cannot open {name}: it is larger than {MAX_UNPACKED_BYTES >> 20} MiB")


def _refuse_for_memory(name: str) -> ContentError:
    return ContentError(f"cannot open {name}: there is not enough memory to read it")


def _decode_utf16(content: bytes | bytearray) -> bytes:
    try:
        return content.decode("utf-16").encode()
    except UnicodeError:
        raise ContentError(FileKind.UTF16.refusal, FileKind.UTF16.remedy) from None


def _is_packed(content: bytes | bytearray) -> bool:
    return is_gzip(content) or is_zstd(content)


def _share_unpacked(done: float) -> float:
    """Return the total progress when this share of a file is unpacked."""
    return _SHARE_OF_PACKED + (_SHARE_OF_READING - _SHARE_OF_PACKED) * done


def _parse(
    content: bytes | bytearray, is_cancelled: IsCancelled, report: Report
) -> Profile | FunctionTable:
    kind = recognise(content)
    if kind is FileKind.UTF16:  # PowerShell's redirection writes it
        content = _decode_utf16(content)
        kind = recognise(content)
    if kind is FileKind.PSTATS:
        return read_pstats(content, is_cancelled)
    if kind is FileKind.MEMRAY:
        return read_memray(content, is_cancelled)
    if kind in _READERS:

        def report_lines(done: float) -> None:
            report(_SHARE_OF_READING + (1 - _SHARE_OF_READING) * done)
            if is_cancelled():
                raise CancelledError

        return _READERS[kind](content, report_lines)
    if kind is FileKind.PPROF:

        def progress(done: float) -> bool:
            report(_SHARE_OF_READING + (1 - _SHARE_OF_READING) * done)
            return not is_cancelled()

        return read_pprof(content, progress)
    raise ContentError(kind.refusal, kind.remedy)
