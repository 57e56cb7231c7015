"""Reader of pprof's protobuf format, into columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, freeze
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.profile_sum import merge_profiles
from stackglass_viewer.model.profile.sample_types import choose_default
from stackglass_viewer.model.readers.concatenated import split_messages
from stackglass_viewer.model.readers.frame_pruning import prune
from stackglass_viewer.model.readers.sample_columns import finish_texts
from stackglass_viewer.model.readers.text_pieces import list_texts
from stackglass_viewer.native import _loops

_SHARE_OF_DECODING = 0.95
_FEW_STRINGS = 65_536
_MAX_MESSAGES = 10_000
_MAX_COMMENTS = 10_000
_STRING_COLUMNS = frozenset(
    f"{table}_{name}"
    for table, names in {
        "type": ("name", "unit"),
        "function": ("name", "system_name", "filename"),
        "mapping": ("filename", "build_id"),
        "label": ("key", "text", "unit"),
    }.items()
    for name in names
) | {"comment"}
_STRING_NUMBERS = (
    *("default_type", "drop_frames", "keep_frames", "doc_url"),
    *("period_name", "period_unit"),
)


def read_pprof(content: bytes | bytearray, progress: Callable[[float], bool]) -> Profile:
    """Decode an unpacked profile, or add up several that are concatenated. May run in any thread;
    the long part runs without the GIL.

    Frames that the profile asks to drop are dropped, as pprof does when it reads a file.
    ``progress`` receives the share done and returns whether to go on. Raises ContentError,
    CancelledError.
    """
    try:
        profile, is_one = _decode(content, progress)
    except ContentError as error:
        merged = _merge_messages(content, progress)
        if merged is None:
            raise error from None
        return merged
    return profile if is_one else _merge_messages(content, progress) or profile


def _merge_messages(
    content: bytes | bytearray, progress: Callable[[float], bool]
) -> Profile | None:
    """Return the sum of concatenated messages; None = there is only one message, or one of them
    cannot be read."""
    messages = split_messages(content)
    if len(messages) == 1:
        return None
    try:
        profiles = [_decode(message, progress)[0] for message in messages]
    except ContentError:
        return None
    if not all(profile.sample_types for profile in profiles):
        return None
    return merge_profiles(profiles)


def _decode(content: bytes | bytearray, progress: Callable[[float], bool]) -> tuple[Profile, bool]:
    """Decode a message. Also returns whether the content is certainly one message: of several that
    are concatenated, each has an empty string."""
    try:
        columns = _loops.decode_pprof(content, lambda done: progress(done * _SHARE_OF_DECODING))
    except InterruptedError:
        raise CancelledError from None
    except ValueError as error:
        raise ContentError(str(error)) from None
    except MemoryError:
        raise ContentError("there is not enough memory to read it") from None
    n_empty = np.count_nonzero(np.asarray(columns["string_size"]) == 0)
    strings, number_of = _read_strings(content, columns)
    profile = prune(_build(columns, strings, number_of))
    return profile, bool(n_empty == 1 or n_empty > _MAX_MESSAGES)


def _read_strings(
    content: bytes | bytearray, columns: dict[str, Any]
) -> tuple[Sequence[str], Int32s | None]:
    """Return the string table, and by number in the file the number in this table; None = the same.

    Invalid UTF-8 is replaced, not refused. If most strings are unused, those are left out.
    """
    starts, sizes = (np.asarray(columns.pop(f"string_{each}")) for each in ("at", "size"))
    number_of = None
    if len(starts) > _FEW_STRINGS:
        is_used = _find_used(columns, len(starts))
        if np.count_nonzero(is_used) < len(starts) // 2:
            number_of = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
            starts, sizes = starts[is_used], sizes[is_used]
    if len(starts) <= _FEW_STRINGS:
        return tuple(list_texts(content, starts, sizes)), number_of
    table = _loops.Texts()
    for first in range(0, len(starts), _FEW_STRINGS):  # columns of int64 for a part at a time
        piece = slice(first, first + _FEW_STRINGS)
        table.append_pieces(content, *(each[piece].astype(np.int64) for each in (starts, sizes)))
    return finish_texts(table), number_of


def _find_used(columns: dict[str, Any], n_strings: int) -> Bools:
    is_used = np.zeros(n_strings, dtype=np.bool_)
    is_used[0] = True
    for name in _STRING_COLUMNS:
        is_used[np.asarray(columns[name])] = True  # -1 (none) also marks the last: harmless
    for name in _STRING_NUMBERS:
        is_used[columns[name]] = True
    return is_used


def _build(columns: dict[str, Any], strings: Sequence[str], number_of: Int32s | None) -> Profile:
    def column(name: str) -> Any:
        array = np.asarray(columns[name])  # read-only: the extension's memory
        if number_of is None or name not in _STRING_COLUMNS:
            return array
        numbers = np.where(array < 0, array, number_of[array])
        freeze(numbers)
        return numbers

    def find(name: str) -> str:
        number: int = columns[name]
        return strings[number if number_of is None else number_of[number]]

    def sparse(name: str, like: str) -> Any:
        """Return a column that C leaves out if all its numbers are 0."""
        array = column(name)
        if not len(array):
            array = np.zeros(len(column(like)), dtype=array.dtype)
            freeze(array)
        return array

    types = tuple(
        SampleType(strings[name], strings[unit])
        for name, unit in zip(
            column("type_name").tolist(), column("type_unit").tolist(), strict=True
        )
    )
    stack_start = column("stack_start")
    period_type = None
    if columns["period_name"] >= 0:
        period_type = SampleType(find("period_name"), find("period_unit"))
    comments = column("comment")
    warnings: tuple[str, ...] = ()
    if len(comments) > _MAX_COMMENTS:
        warnings = (f"only {_MAX_COMMENTS} of its {len(comments)} comments are read",)
    is_folded = column("location_is_folded").astype(np.bool_)
    freeze(is_folded)
    return Profile(
        strings=strings,
        functions=Functions(
            name=column("function_name"),
            system_name=column("function_system_name"),
            filename=column("function_filename"),
            start_line=column("function_start_line"),
        ),
        locations=Locations(
            line_start=column("location_lines"),
            line_function=column("line_function"),
            line_number=column("line_number"),
            line_column=sparse("line_column", "line_number"),
            address=column("location_address"),
            mapping=column("location_mapping"),
            is_folded=is_folded,
        ),
        mappings=Mappings(
            filename=column("mapping_filename"),
            build_id=column("mapping_build_id"),
            start=column("mapping_start"),
            limit=column("mapping_limit"),
            offset=column("mapping_offset"),
            flags=column("mapping_flags"),
        ),
        samples=Samples(
            stack_start=stack_start,
            stack=column("stack"),
            values=column("values").reshape(len(types), len(stack_start) - 1),
        ),
        labels=Labels(
            sample=column("label_sample"),
            key=column("label_key"),
            text=column("label_text"),
            number=column("label_number"),
            unit=sparse("label_unit", "label_number"),
        ),
        sample_types=types,
        default_type=choose_default(types, find("default_type")),
        time_unix_ns=columns["time_ns"],
        duration_ns=columns["duration_ns"],
        period_type=period_type,
        period=columns["period"],
        comments=tuple(strings[comment] for comment in comments[:_MAX_COMMENTS].tolist()),
        drop_frames=find("drop_frames"),
        keep_frames=find("keep_frames"),
        doc_url=find("doc_url"),
        warnings=warnings,
    )
