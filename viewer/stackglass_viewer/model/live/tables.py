"""Tables of a session as the engine sent them, for exports and for the tables of the views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.live.native_lines import NativeLines
from stackglass_viewer.model.live.samples import SampleRows, fold, join, make_rows
from stackglass_viewer.model.profile.label_table import LabelIndex


class Known(NamedTuple):
    """Where a function of machine code is defined, according to Python."""

    file: int  # string; 0 = unknown
    line: int  # 0 = unknown


@dataclass(frozen=True, slots=True, eq=False)
class DefinitionColumns:
    """Strings, functions, locations and stacks. Columns refer to each other by position, as in
    ``wire.proto``. Immutable."""

    strings: Sequence[str]
    function_name: Int32s  # (n_functions,) string
    function_system_name: Int32s  # (n_functions,) string
    function_filename: Int32s  # (n_functions,) string
    function_start_line: Int64s  # (n_functions,)
    function_native_start: Int64s  # (n_functions,) 0 = no machine code
    location_function: Int32s  # (n_locations,)
    location_line: Int64s  # (n_locations,) 0 = unknown
    location_native_address: Int64s  # (n_locations,) 0 = no machine code
    node_parent: Int32s  # (n_nodes,) node 0 is the empty stack
    node_location: Int32s  # (n_nodes,)
    native_lines: NativeLines = field(default_factory=dict, kw_only=True)
    known: Mapping[int, Known] = field(default_factory=dict, kw_only=True)  # by function


@dataclass(frozen=True, slots=True, eq=False)
class LiveTables(DefinitionColumns):
    """The definitions and the samples of a span. Immutable."""

    parts: tuple[SampleRows, ...]  # the samples; joined they are ``rows``
    labels: LabelIndex  # its bearers are the label sets
    thread_names: Mapping[int, str]  # by thread id; "" = not known
    # By the ID of a thread that C code started: the name of the Python thread that led to the start
    starters: Mapping[int, str]
    n_lost: int  # samples that could not be stored
    lost_cpu_ns: int  # CPU time of the lost samples
    cpu_hz: int  # 0 = off
    wall_hz: int | None  # rate of wall samples, 0 = not known; None = only CPU samples
    duration_ns: int
    begin_unix_ns: int  # 0 = not known
    executable: str  # the program's file; "" = not known

    @property
    def rows(self) -> SampleRows:
        """All samples with their times, copied at each access."""
        return join(self.parts or (make_rows(*[()] * 6),))

    def sum_rows(self) -> SampleRows:
        """Sum the samples with the same stack, thread and labels into one row: part by part first,
        so that the rows of a long session are not all copied and sorted together."""
        return fold(join([fold(part, None) for part in self.parts] or [self.rows]), None)
