"""Function table of a file without stacks: functions with their costs, calls and callers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId
from stackglass_viewer.model.profile.profile import SampleType

CALLS = "calls"
TIME = "time"
TIME_TYPE = TypeId(0)
ALL_TYPES = (SampleType(TIME, "nanoseconds"), SampleType(CALLS, "count"))


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTable:
    """One row per function. Immutable: every array is read-only.

    cProfile and callgrind measure functions and pairs of caller and callee, but not stacks. Row i
    of the costs belongs to sample type i. If calls were counted, they are the last type, which has
    no row.
    """

    name: Sequence[str]  # (n_functions,) as in the file; cProfile's have no module or class
    file: Sequence[str]  # (n_functions,) "" = built in
    line: Int32s  # (n_functions,) 0 = unknown
    n_calls: Int64s  # (n_functions,) all calls, also recursive calls; -1 = unknown
    n_primitive_calls: Int64s  # (n_functions,) calls from outside its own recursion; -1 = unknown
    own: Int64s  # (n_costs, n_functions) cost of the function itself
    total: Int64s  # (n_costs, n_functions) cost of the function and its callees
    edge_caller: Int32s  # (n_edges,) function
    edge_callee: Int32s  # (n_edges,) function
    edge_n_calls: Int64s  # (n_edges,) -1 = unknown
    edge_n_primitive_calls: Int64s  # (n_edges,) -1 = unknown
    edge_own: Int64s  # (n_costs, n_edges) own cost of the callee in these calls; -1 = unknown
    edge_total: Int64s  # (n_costs, n_edges) -1 = unknown
    sample_types: tuple[SampleType, ...] = ALL_TYPES
    default_type: TypeId = TIME_TYPE
    warnings: tuple[str, ...] = ()  # from its reader
    comments: tuple[str, ...] = ()
    format_name: str = "cProfile"

    @property
    def has_calls(self) -> bool:
        """Whether calls were counted. Sampling profilers that write such files count none."""
        return len(self.sample_types) > len(self.own)

    def find_cost(self, sample_type: TypeId) -> int:
        """Return the row of a sample type in ``own`` and ``total``; for calls, that of the default
        type."""
        return int(sample_type if sample_type < len(self.own) else self.default_type)

    @property
    def n_functions(self) -> int:
        return len(self.n_calls)
