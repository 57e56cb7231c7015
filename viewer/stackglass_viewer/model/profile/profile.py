"""A profile as columns: what every reader produces and every view is computed from.

Tables refer to each other by position, never by the ids of a file::

    samples ──stack──▶ locations ──lines──▶ functions ──▶ strings
       └──labels──▶ strings                 (innermost inlined line first)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.model.columns.index import (
    Bools,
    Int32s,
    Int64s,
    Integers,
    TypeId,
    UInt64s,
)


@dataclass(frozen=True, slots=True)
class SampleType:
    """What a column of values counts, as pprof spells it: ``cpu``, ``nanoseconds``."""

    name: str
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """One row a function; string columns point into the profile's strings."""

    name: Int32s  # (n_functions,) string
    system_name: Int32s  # (n_functions,) string
    filename: Int32s  # (n_functions,) string
    start_line: Int64s  # (n_functions,) 0 = unknown


@dataclass(frozen=True, slots=True, eq=False)
class Locations:
    """One row a location; its lines are ``line_start[i]:line_start[i + 1]``, innermost first."""

    line_start: Int32s  # (n_locations + 1,)
    line_function: Int32s  # (n_lines,) function; -1 = none
    line_number: Int64s  # (n_lines,) 0 = unknown
    line_column: Int64s  # (n_lines,) 0 = unknown
    address: UInt64s  # (n_locations,)
    mapping: Int32s  # (n_locations,) mapping; -1 = none
    is_folded: Bools  # (n_locations,) several places were made one


@dataclass(frozen=True, slots=True, eq=False)
class Mappings:
    """One row a mapped file."""

    filename: Int32s  # (n_mappings,) string
    build_id: Int32s  # (n_mappings,) string
    start: UInt64s  # (n_mappings,) address
    limit: UInt64s  # (n_mappings,) address
    offset: UInt64s  # (n_mappings,) bytes into the file
    flags: Int32s  # (n_mappings,) has 1 functions, 2 filenames, 4 line numbers, 8 inline frames


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """One row a sample; its stack is ``stack[stack_start[i]:stack_start[i + 1]]``, leaf first."""

    stack_start: Int64s  # (n_samples + 1,)
    stack: Int32s  # (n_frames,) location
    values: Int64s  # (n_types, n_samples) in the unit of each sample type


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One row a label of a sample; ordered by sample."""

    sample: Int32s  # (n_labels,) sample
    key: Int32s  # (n_labels,) string
    text: Int32s  # (n_labels,) string; -1 = a numeric label
    number: Int64s  # (n_labels,) 0 where text
    unit: Int32s  # (n_labels,) string; 0 (the empty one) = no unit


@dataclass(frozen=True, slots=True, eq=False)
class SampleTimes:
    """When samples were there: one row a stretch of time of one sample; ordered by begin.

    A sample's values are the sums of those of its rows, unless some of its times are not known.
    """

    sample: Int32s  # (n,) sample
    begin_ns: Int64s  # (n,) since the first moment of the file
    end_ns: Int64s  # (n,) the same as ``begin_ns``: a moment without length
    values: tuple[Integers, ...]  # (n,) of each type; a constant one is a single number (stride 0)
    length_ns: int  # from the first moment to the last, whatever rows were left out since


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """An opened or captured profile. Immutable: every array is read-only."""

    strings: Sequence[str]
    functions: Functions
    locations: Locations
    mappings: Mappings
    samples: Samples
    labels: Labels
    sample_types: tuple[SampleType, ...]
    default_type: TypeId
    time_unix_ns: int = 0  # 0 = unknown
    duration_ns: int = 0  # 0 = unknown
    period_type: SampleType | None = None
    period: int = 0
    comments: tuple[str, ...] = ()
    drop_frames: str = ""
    keep_frames: str = ""
    doc_url: str = ""
    warnings: tuple[str, ...] = ()  # of its reader: what of the file is not shown as it wants
    times: SampleTimes | None = None  # when its samples were there; None = not known

    @property
    def n_samples(self) -> int:
        return len(self.samples.stack_start) - 1
