"""cProfile table: functions with their calls and times, and their callers. No stacks."""

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

    cProfile measures functions and pairs of functions; which stack a pair was on is unknown.
    """

    name: Sequence[str]  # (n_functions,) as cProfile has it, without module or class
    file: Sequence[str]  # (n_functions,) "" = built in
    line: Int32s  # (n_functions,) 0 = unknown
    n_calls: Int64s  # (n_functions,) all calls, recursive ones too; -1 = unknown
    n_primitive_calls: Int64s  # (n_functions,) calls from outside its own recursion; -1 = unknown
    own_ns: Int64s  # (n_functions,) tottime
    total_ns: Int64s  # (n_functions,) cumtime
    edge_caller: Int32s  # (n_edges,) function
    edge_callee: Int32s  # (n_edges,) function
    edge_n_calls: Int64s  # (n_edges,) -1 = unknown
    edge_n_primitive_calls: Int64s  # (n_edges,) -1 = unknown
    edge_own_ns: Int64s  # (n_edges,) own time of the callee when called from there; -1 = unknown
    edge_total_ns: Int64s  # (n_edges,) -1 = unknown
    sample_types: tuple[SampleType, ...] = ALL_TYPES
    default_type: TypeId = TIME_TYPE
    warnings: tuple[str, ...] = ()  # of its reader

    @property
    def has_calls(self) -> bool:
        """Whether calls were counted: sampling profilers write such files, too."""
        return len(self.sample_types) > 1

    @property
    def n_functions(self) -> int:
        return len(self.n_calls)
