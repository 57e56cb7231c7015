"""Reader of pprof's protobuf format, into columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.errors import CancelledError, ProfileError
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.sample_types import choose_default
from stackglass_viewer.model.readers.frame_pruning import prune
from stackglass_viewer.native import _loops

_SHARE_OF_DECODING = 0.95


def read_pprof(content: bytes | bytearray, tick: Callable[[float], bool]) -> Profile:
    """Decode an unpacked profile. Any thread; the long part runs without the GIL.

    Frames that the profile wants dropped are dropped, as pprof does on reading. ``tick``
    receives the share done and returns whether to go on. Raises ProfileError, CancelledError.
    """
    try:
        columns = _loops.decode_pprof(content, lambda done: tick(done * _SHARE_OF_DECODING))
    except InterruptedError:
        raise CancelledError from None
    except ValueError as error:
        raise ProfileError(str(error)) from None
    except MemoryError:
        raise ProfileError("there is not enough memory to read it") from None
    return prune(_build(columns, _read_strings(content, columns)))


def _read_strings(content: bytes | bytearray, columns: dict[str, Any]) -> tuple[str, ...]:
    """The string table. What is no UTF-8 is shown as such, and not refused."""
    starts = np.asarray(columns["string_at"]).tolist()
    sizes = np.asarray(columns["string_size"]).tolist()
    spans = zip(starts, sizes, strict=True)
    return tuple(content[at : at + size].decode(errors="replace") for at, size in spans)


def _build(columns: dict[str, Any], strings: tuple[str, ...]) -> Profile:
    def column(name: str) -> Any:
        return np.asarray(columns[name])  # read-only: the extension's memory

    types = tuple(
        SampleType(strings[name], strings[unit])
        for name, unit in zip(
            column("type_name").tolist(), column("type_unit").tolist(), strict=True
        )
    )
    stack_start = column("stack_start")
    period_type = None
    if columns["period_name"] >= 0:
        period_type = SampleType(strings[columns["period_name"]], strings[columns["period_unit"]])
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
            line_column=column("line_column"),
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
            unit=column("label_unit"),
        ),
        sample_types=types,
        default_type=choose_default(types, strings[columns["default_type"]]),
        time_unix_ns=columns["time_ns"],
        duration_ns=columns["duration_ns"],
        period_type=period_type,
        period=columns["period"],
        comments=tuple(strings[comment] for comment in column("comment").tolist()),
        drop_frames=strings[columns["drop_frames"]],
        keep_frames=strings[columns["keep_frames"]],
        doc_url=strings[columns["doc_url"]],
    )
