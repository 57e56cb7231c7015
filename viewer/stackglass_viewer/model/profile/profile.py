"""Profile as columns: the common output of all readers and input of all views.

Tables refer to each other by position, never by the IDs of a file::

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
    """Name and unit of a column of values, as pprof spells them: ``cpu``, ``nanoseconds``."""

    name: str
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """One row per function. String columns are indices of the profile's strings."""

    name: Int32s  # (n_functions,) string
    system_name: Int32s  # (n_functions,) string
    filename: Int32s  # (n_functions,) string
    start_line: Int64s  # (n_functions,) 0 = unknown


@dataclass(frozen=True, slots=True, eq=False)
class Locations:
    """One row per location; its lines are ``line_start[i]:line_start[i + 1]``, innermost first."""

    line_start: Int32s  # (n_locations + 1,)
    line_function: Int32s  # (n_lines,) function; -1 = none
    line_number: Int64s  # (n_lines,) 0 = unknown
    line_column: Int64s  # (n_lines,) 0 = unknown
    address: UInt64s  # (n_locations,)
    mapping: Int32s  # (n_locations,) mapping; -1 = none
    is_folded: Bools  # (n_locations,) the linker folded several identical functions into one


@dataclass(frozen=True, slots=True, eq=False)
class Mappings:
    """One row per mapped file."""

    filename: Int32s  # (n_mappings,) string
    build_id: Int32s  # (n_mappings,) string
    start: UInt64s  # (n_mappings,) address
    limit: UInt64s  # (n_mappings,) address
    offset: UInt64s  # (n_mappings,) bytes into the file
    flags: Int32s  # (n_mappings,) 1 functions, 2 filenames, 4 line numbers, 8 inline frames known


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """One row per sample; its stack is ``stack[stack_start[i]:stack_start[i + 1]]``, leaf first."""

    stack_start: Int64s  # (n_samples + 1,)
    stack: Int32s  # (n_frames,) location
    values: Int64s  # (n_types, n_samples) in the unit of each sample type


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One row per label of a sample, ordered by sample."""

    sample: Int32s  # (n_labels,) sample
    key: Int32s  # (n_labels,) string
    text: Int32s  # (n_labels,) string; -1 = a numeric label
    number: Int64s  # (n_labels,) 0 for a text
    unit: Int32s  # (n_labels,) string; 0 (the empty one) = no unit


@dataclass(frozen=True, slots=True, eq=False)
class SampleTimes:
    """Times of samples: one row per stretch of time of one sample, ordered by begin.

    The values of a sample are the sums over its rows, unless some of its times are not known.
    """

    sample: Int32s  # (n,) sample
    begin_ns: Int64s  # (n,) since the first moment of the file
    # (n,) equal to ``begin_ns`` for a moment without length. If no row has a length, it may be the
    # array ``begin_ns`` itself; functions that choose or order rows test that by identity.
    end_ns: Int64s
    values: tuple[Integers, ...]  # (n,) for each type; a constant column is one number (stride 0)
    length_ns: int  # from the first moment of the file to the last, also if rows were left out


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
    warnings: tuple[str, ...] = ()  # parts of the file that its reader could not use
    times: SampleTimes | None = None  # times of its samples; None = not known

    @property
    def n_samples(self) -> int:
        return len(self.samples.stack_start) - 1
