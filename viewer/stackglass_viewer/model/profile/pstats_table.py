"""Function table: functions with their costs and calls, and their callers. No stacks."""

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
    """One row a function. Immutable: every array is read-only.

    cProfile and callgrind measure functions and pairs of functions; which stack a pair was on is
    unknown. Costs are in the units of the first sample types; the last type may be the calls.
    """

    name: Sequence[str]  # (n_functions,) as the file has it: of cProfile without module or class
    file: Sequence[str]  # (n_functions,) "" = built in
    line: Int32s  # (n_functions,) 0 = unknown
    n_calls: Int64s  # (n_functions,) all calls, recursive ones too; -1 = unknown
    n_primitive_calls: Int64s  # (n_functions,) calls from outside its own recursion; -1 = unknown
    own: Int64s  # (n_costs, n_functions) spent in the function itself
    total: Int64s  # (n_costs, n_functions) in it or its callees
    edge_caller: Int32s  # (n_edges,) function
    edge_callee: Int32s  # (n_edges,) function
    edge_n_calls: Int64s  # (n_edges,) -1 = unknown
    edge_n_primitive_calls: Int64s  # (n_edges,) -1 = unknown
    edge_own: Int64s  # (n_costs, n_edges) own cost of callee when called from there; -1 = unknown
    edge_total: Int64s  # (n_costs, n_edges) -1 = unknown
    sample_types: tuple[SampleType, ...] = ALL_TYPES
    default_type: TypeId = TIME_TYPE
    warnings: tuple[str, ...] = ()  # of its reader
    comments: tuple[str, ...] = ()
    format_name: str = "cProfile"

    @property
    def has_calls(self) -> bool:
        """Whether calls were counted: sampling profilers write such files, too."""
        return len(self.sample_types) > len(self.own)

    def find_cost(self, sample_type: TypeId) -> int:
        """The row of ``own`` and ``total`` of a sample type; for calls, the default type's."""
        return int(sample_type if sample_type < len(self.own) else self.default_type)

    @property
    def n_functions(self) -> int:
        return len(self.n_calls)
