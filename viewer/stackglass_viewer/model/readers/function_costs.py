"""Builder of function tables, for formats that have the costs of functions and calls but no stacks.

::

    main 5, work 20                     own    main 5   work 20
    main calls work: 20                 total  main 25  work 20

The total of a function is its own cost and the cost of its calls to other functions. If callees may
be missing, as built-in functions are in yappi's files, the cost of all calls of the function from
other functions is used if it is larger.
Functions that call each other in a cycle have calls within calls, whose costs cannot be separated.
Their total counts only calls out of the cycle and into it: a lower bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import CALLS, FunctionTable
from stackglass_viewer.model.readers.call_cycles import find_cycles
from stackglass_viewer.native import _loops

_MOST = 2**63


@dataclass(frozen=True, slots=True, eq=False)
class FunctionCosts:
    """Columns of a file's functions and of the calls between them."""

    name: Sequence[str]  # (n_functions,)
    file: Sequence[str]  # (n_functions,) "" = built in
    line: Int32s  # (n_functions,) first line; 0 = unknown
    own: Int64s  # (n_costs, n_functions) cost of a function without its callees
    caller: Int32s  # (n_calls,) in the order of the file; a pair may come more than once
    callee: Int32s  # (n_calls,)
    n_calls: Int64s  # (n_calls,) number of calls
    caused: Int64s  # (n_costs, n_calls) cost of these calls, with their callees

    def sum_own(self, cost: int) -> int:
        """Sum one cost of all functions, without callees."""
        return sum(self.own[cost].tolist())

    def build(
        self,
        costs: Sequence[SampleType],
        format_name: str,
        *,
        comments: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        has_all_callees: bool = True,
    ) -> FunctionTable:
        """Build the table. ``costs``: the type of each cost; ``has_all_callees``: the file has
        every callee of a function. Raises ContentError."""
        n = len(self.name)
        own = np.ascontiguousarray(self.own)
        caller, callee, of_edge = _number_edges(self.caller, self.callee)
        n_calls = _sum_groups(self.n_calls, of_edge, len(caller))
        caused = np.zeros((len(costs), len(caller)), np.int64)
        for row, column in zip(caused, self.caused, strict=True):
            row[:] = _sum_groups(column, of_edge, len(caller))
        cycle, n_in_cycles = find_cycles(n, caller, callee)
        is_other = caller != callee
        table = FunctionTable(
            name=_freeze_texts(self.name),
            file=_freeze_texts(self.file),
            line=self.line,
            n_calls=_sum_groups(n_calls, callee, n),
            n_primitive_calls=_sum_groups(n_calls[is_other], callee[is_other], n),
            own=own,
            total=_sum_totals(own, caused, caller, callee, cycle, has_all_callees=has_all_callees),
            edge_caller=caller,
            edge_callee=callee,
            edge_n_calls=n_calls,
            edge_n_primitive_calls=np.where(is_other, n_calls, 0),
            edge_own=np.full(caused.shape, -1, np.int64),
            edge_total=caused,
            sample_types=(*costs, SampleType(CALLS, "count")) if n_calls.any() else tuple(costs),
            default_type=TypeId(0),
            warnings=(*warnings, *_describe_cycles(n_in_cycles)),
            comments=comments,
            format_name=format_name,
        )
        freeze(*_list_columns(table))
        return table


def _freeze_texts(texts: Sequence[str]) -> Sequence[str]:
    return tuple(texts) if isinstance(texts, list) else texts


def _list_columns(table: FunctionTable) -> list[npt.NDArray[np.generic]]:
    values = (getattr(table, name) for name in table.__slots__)
    return [value for value in values if isinstance(value, np.ndarray)]


def _number_edges(caller: Int32s, callee: Int32s) -> tuple[Int32s, Int32s, Int32s]:
    """Return callers and callees of the different pairs, and the pair of each call."""
    pairs = caller.astype(np.int64) << 32 | callee
    found, of_edge = np.unique(pairs, return_inverse=True)
    return (found >> 32).astype(np.int32), found.astype(np.int32), of_edge.astype(np.int32)


def _sum_groups(values: Int64s, group: Int32s, n_groups: int) -> Int64s:
    if np.abs(values.astype(np.float64)).sum() >= _MOST:
        raise ContentError("it has costs whose sum 63 bits cannot hold")
    sums = np.zeros(n_groups, np.int64)
    _loops.sum_own(group, np.ascontiguousarray(values), sums)
    return sums


def _sum_totals(
    own: Int64s,
    caused: Int64s,
    caller: Int32s,
    callee: Int32s,
    cycle: Int32s,
    *,
    has_all_callees: bool,
) -> Int64s:
    """Return the (n_costs, n_functions) totals. ``cycle``: (n_functions,) a number that functions
    of one cycle share."""
    is_in_cycle = np.bincount(cycle, minlength=len(cycle))[cycle] > 1
    may_be_more = is_in_cycle | np.bool_(not has_all_callees)
    is_between = cycle[caller] != cycle[callee]
    totals = np.empty_like(own)
    for total, own_row, caused_row in zip(totals, own, caused, strict=True):
        between = caused_row[is_between]
        n = len(own_row)
        total[:] = own_row + _sum_groups(between, caller[is_between], n)
        from_outside = _sum_groups(between, callee[is_between], n)
        is_more = (np.abs(from_outside) > np.abs(total)) & may_be_more
        total[is_more] = from_outside[is_more]
    return totals


def _describe_cycles(n_functions: int) -> tuple[str, ...]:
    if not n_functions:
        return ()
    return (f"{n_functions} functions call each other in cycles: their cum may be larger",)
