"""Session files with one profile, or one table of functions, in place of a session.

A profile is stored as a pprof message and the times of its samples, which pprof cannot hold.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from stackglass.wire.session_file import ByteSink, SessionFileWriter
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.pprof import read_pprof
from stackglass_viewer.model.session.chunks import (
    FUNCTIONS,
    PROFILE,
    TIMES,
    ChunkList,
    find_first_kind,
    list_chunks,
    read_content,
    unpack,
)
from stackglass_viewer.model.session.file_parts import Parts, open_parts
from stackglass_viewer.model.session.notes import MOST_RAW_BYTES
from stackglass_viewer.model.session.table_columns import decode_table, encode_table
from stackglass_viewer.model.session.time_columns import decode_times, encode_times
from stackglass_viewer.model.writers.pprof import encode_pprof


def is_profile_file(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a session file with one profile: its first chunk
    is a profile or a table of functions."""
    return find_first_kind(head) in (PROFILE, FUNCTIONS)


def write_profile_file(profile: Profile | FunctionTable) -> bytes:
    """Return the file's content. Any thread. Raises ContentError if the profile is too large."""
    file = io.BytesIO()
    writer = SessionFileWriter(cast(ByteSink, file), is_deflated=True)
    if isinstance(profile, FunctionTable):
        writer.add_part(FUNCTIONS, _check(encode_table(profile)))
    else:
        writer.add_part(PROFILE, _check(b"".join(encode_pprof(profile))))
        if profile.times is not None and len(profile.times.sample):
            writer.add_part(TIMES, _check(encode_times(profile.times)))
    writer.finish()
    return file.getvalue()


def _check(part: bytes) -> bytes:
    if len(part) > MOST_RAW_BYTES:
        raise ContentError(f"a session file cannot hold more than {MOST_RAW_BYTES >> 20} MiB")
    return part


def open_profile_file(
    path: str | os.PathLike[str],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[float], None] = lambda _share: None,
) -> Profile | FunctionTable:
    """Read a file. Any thread. ``report`` receives the share done.

    Raises ContentError with one line for the user, CancelledError.
    """

    def progress(share: float) -> bool:
        report(share)
        return not is_cancelled()

    with open_parts(path) as content:
        return read_profile_file(content, progress)


def read_profile_file(
    content: Parts, progress: Callable[[float], bool] = lambda _share: True
) -> Profile | FunctionTable:
    """Read a profile from a file's content. Raises ContentError, CancelledError."""
    listed = list_chunks(content, lambda _share: None)
    if not listed.is_whole:
        raise ContentError("it is truncated: a profile cannot be read in part")
    if not progress(0.0):
        raise CancelledError
    if table := _join(content, listed, FUNCTIONS):
        return decode_table(table)
    profile = read_pprof(_join(content, listed, PROFILE), progress)
    if not profile.sample_types:
        raise ContentError("it has no sample types, so there is nothing to show")
    if times := _join(content, listed, TIMES):
        return replace(profile, times=decode_times(times, profile))
    return profile


def _join(content: Parts, listed: ChunkList, kind: int) -> bytearray:
    """Join the chunks of a kind; empty = there are none. Raises ContentError."""
    chunks = [chunk for chunk in listed.chunks if chunk.kind == kind]
    if sum(chunk.raw_bytes for chunk in chunks) > MOST_RAW_BYTES:
        raise ContentError(f"its profile has more than {MOST_RAW_BYTES >> 20} MiB")
    part = bytearray()
    for chunk in chunks:
        part += unpack(read_content(content, chunk), chunk)
    return part
