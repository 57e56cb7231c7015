"""Profile of a memory trace: builds a ``Profile`` from sums by site.

A block without a stack has its type as a frame, below ``<before attach>`` if it existed before the
trace began. The type of a block with a stack is its label ``type``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.memory_trace.site_rows import SiteRows
from stackglass_viewer.model.profile.no_mappings import no_mappings
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Profile,
    Samples,
    SampleType,
)

BEFORE_ATTACH = "<before attach>"
UNKNOWN = "<unknown>"
SAMPLE_TYPES = (
    SampleType("alloc_objects", "count"),
    SampleType("alloc_space", "bytes"),
    SampleType("inuse_objects", "count"),
    SampleType("inuse_space", "bytes"),
)
ALLOC_SPACE, INUSE_SPACE = TypeId(1), TypeId(3)
_TYPE_KEY = "type"
_MOST_FRAMES = 1 << 27


@dataclass(frozen=True, slots=True)
class ProfileMetadata:
    """The metadata of a profile."""

    comment: str
    time_unix_ns: int  # 0 = unknown
    duration_ns: int
    default_type: TypeId
    warnings: tuple[str, ...] = ()


def make_profile(
    definitions: DefinitionColumns, allocated: SiteRows, in_use: SiteRows, origin: ProfileMetadata
) -> Profile:
    """Make a profile of allocations and live blocks; either may be empty. Raises ContentError."""
    tables = _Tables(definitions)
    rows = [(allocated, 0), (in_use, 2)]
    values = np.zeros((4, sum(len(part) for part, _ in rows)), dtype=np.int64)
    stacks: list[list[int]] = []
    label_sample: list[int] = []
    label_type: list[int] = []
    for part, column in rows:
        begin = len(stacks)
        values[column, begin : begin + len(part)] = part.n
        values[column + 1, begin : begin + len(part)] = part.size
        for stack, type_id, is_before in zip(
            part.stack.tolist(), part.type.tolist(), part.is_before.tolist(), strict=True
        ):
            if stack and 0 < type_id < tables.n_strings:
                label_sample.append(len(stacks))
                label_type.append(type_id)
            stacks.append(tables.list_stack(stack, type_id, is_before))
    return tables.build(stacks, values, (label_sample, label_type), origin)


class _Tables:
    """The strings, functions and locations of the trace, and further ones for blocks without a
    stack."""

    def __init__(self, definitions: DefinitionColumns) -> None:
        self._definitions = definitions
        self.n_strings = len(definitions.strings)
        self._extra: dict[str, int] = {}  # string by text
        self._frames: dict[int, int] = {}  # location of a frame by the string of its name
        self._paths: dict[int, list[int]] = {}
        self._n_frames = 0
        self._parents = definitions.node_parent.tolist()
        self._locations = definitions.node_location.tolist()

    def list_stack(self, stack: int, type_id: int, is_before: bool) -> list[int]:
        """Return the locations of a block's stack, leaf first."""
        if stack:
            return self._list_path(stack)
        known = 0 < type_id < self.n_strings
        name = type_id if known else self._add_string(UNKNOWN)
        frames = [self._add_frame(name)] if known or not is_before else []
        return frames + ([self._add_frame(self._add_string(BEFORE_ATTACH))] if is_before else [])

    def _list_path(self, node: int) -> list[int]:
        path = self._paths.get(node)
        if path is None:
            path, at = [], node
            while 0 < at < len(self._parents):
                path.append(self._locations[at])
                at = self._parents[at]
            self._paths[node] = path
        self._n_frames += len(path)
        if self._n_frames > _MOST_FRAMES:
            raise ContentError("its stacks are too many and too deep to be added up")
        return path

    def _add_string(self, text: str) -> int:
        return self._extra.setdefault(text, self.n_strings + 2 + len(self._extra))

    def _add_frame(self, name: int) -> int:
        """Return the location for a frame that is not a line of code. Such locations come after
        those of the trace."""
        n = len(self._definitions.location_function)
        return self._frames.setdefault(name, n + len(self._frames))

    def build(
        self,
        stacks: list[list[int]],
        values: Int64s,
        labels: tuple[list[int], list[int]],
        origin: ProfileMetadata,
    ) -> Profile:
        """Build the profile. String ``n_strings`` is the label's key, the next one is empty."""
        lengths = np.fromiter(map(len, stacks), dtype=np.int64, count=len(stacks))
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
        flat = np.fromiter(
            (location for stack in stacks for location in stack),
            dtype=np.int32,
            count=int(starts[-1]),
        )
        empty = self.n_strings + 1
        tables = (
            self._build_functions(empty),
            self._build_locations(),
            no_mappings(),
            Samples(starts, flat, values),
            _build_labels(*labels, key=self.n_strings),
        )
        for table in tables:
            freeze(*(getattr(table, name) for name in table.__slots__))
        strings = (*self._definitions.strings, _TYPE_KEY, "", *self._extra)
        if strings[0]:
            strings = ("", *strings[1:])
        return Profile(
            strings,
            *tables,
            sample_types=SAMPLE_TYPES,
            default_type=origin.default_type,
            time_unix_ns=origin.time_unix_ns,
            duration_ns=origin.duration_ns,
            period_type=SampleType("space", "bytes"),
            period=1,
            comments=(origin.comment,),
            warnings=origin.warnings,
        )

    def _build_functions(self, empty: int) -> Functions:
        known = self._definitions
        names = np.fromiter(self._frames, dtype=np.int32, count=len(self._frames))
        files = np.full(len(names), empty, dtype=np.int32)
        return Functions(
            name=_append(known.function_name, names),
            system_name=_append(known.function_system_name, names),
            filename=_append(known.function_filename, files),
            start_line=np.concatenate(
                (known.function_start_line, np.zeros(len(names), dtype=np.int64))
            ),
        )

    def _build_locations(self) -> Locations:
        known = self._definitions
        n_known, n_extra = len(known.location_function), len(self._frames)
        n, first = n_known + n_extra, len(known.function_name)
        return Locations(
            line_start=np.arange(n + 1, dtype=np.int32),
            line_function=_append(
                known.location_function, np.arange(first, first + n_extra, dtype=np.int32)
            ),
            line_number=np.concatenate((known.location_line, np.zeros(n_extra, dtype=np.int64))),
            line_column=np.zeros(n, dtype=np.int64),
            address=np.zeros(n, dtype=np.uint64),
            mapping=np.full(n, -1, dtype=np.int32),
            is_folded=np.zeros(n, dtype=np.bool_),
        )


def _append(column: Int32s, more: Int32s) -> Int32s:
    joined: npt.NDArray[np.int32] = np.concatenate((column, more)).astype(np.int32)
    return joined


def _build_labels(samples: list[int], types: list[int], key: int) -> Labels:
    n = len(samples)
    return Labels(
        sample=np.array(samples, dtype=np.int32),
        key=np.full(n, key, dtype=np.int32),
        text=np.array(types, dtype=np.int32),
        number=np.zeros(n, dtype=np.int64),
        unit=np.zeros(n, dtype=np.int32),
    )
