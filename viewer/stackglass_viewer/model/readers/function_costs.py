"""Function table of costs and calls, as formats of functions and callers without stacks have them.

::

    main 5, work 20                     own    main 5   work 20
    main calls work: 20                 total  main 25  work 20

The total of a function is its own cost and that of its calls to others. If some of what it calls
may be missing, as built-in functions are in yappi's files, it is that of all calls of it by others,
where this is more.
Functions that call each other in a circle have calls inside calls, which cannot be separated: of
these, only calls out of the circle and into it count, which such a function surely has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.pstats_table import CALLS, FunctionTable
from stackglass_viewer.model.readers.call_circles import find_circles

_MOST = 2**63


@dataclass(frozen=True, slots=True, eq=False)
class FunctionCosts:
    """What a file says of its functions and of the calls between them."""

    name: Sequence[str]  # (n_functions,)
    file: Sequence[str]  # (n_functions,) "" = built in
    line: Int32s  # (n_functions,) the first one; 0 = unknown
    own: Int64s  # (n_costs, n_functions) what a function spent itself
    caller: Int32s  # (n_calls,) in the order of the file; the same pair may come again
    callee: Int32s  # (n_calls,)
    n_calls: Int64s  # (n_calls,) how often
    caused: Int64s  # (n_costs, n_calls) all that these calls spent

    def sum_own(self, cost: int) -> int:
        """All that functions spent themselves of one cost."""
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
        """The table; ``costs``: what each of them is; ``has_all_callees``: what functions call is
        there, whatever it is. Raises ProfileError."""
        n = len(self.name)
        own = np.ascontiguousarray(self.own)
        caller, callee, of_edge = _number_edges(self.caller, self.callee)
        n_calls = _sum_groups(self.n_calls, of_edge, len(caller))
        caused = np.zeros((len(costs), len(caller)), np.int64)
        for row, column in zip(caused, self.caused, strict=True):
            row[:] = _sum_groups(column, of_edge, len(caller))
        circle, n_in_circles = find_circles(n, caller, callee)
        is_other = caller != callee
        table = FunctionTable(
            name=tuple(self.name),
            file=tuple(self.file),
            line=self.line,
            n_calls=_sum_groups(n_calls, callee, n),
            n_primitive_calls=_sum_groups(n_calls[is_other], callee[is_other], n),
            own=own,
            total=_sum_totals(own, caused, caller, callee, circle, has_all_callees=has_all_callees),
            edge_caller=caller,
            edge_callee=callee,
            edge_n_calls=n_calls,
            edge_n_primitive_calls=np.where(is_other, n_calls, 0),
            edge_own=np.full(caused.shape, -1, np.int64),
            edge_total=caused,
            sample_types=(*costs, SampleType(CALLS, "count")) if n_calls.any() else tuple(costs),
            default_type=TypeId(0),
            warnings=(*warnings, *_describe_circles(n_in_circles)),
            comments=comments,
            format_name=format_name,
        )
        freeze(*_list_columns(table))
        return table


def _list_columns(table: FunctionTable) -> list[npt.NDArray[np.generic]]:
    values = (getattr(table, name) for name in table.__slots__)
    return [value for value in values if isinstance(value, np.ndarray)]


def _number_edges(caller: Int32s, callee: Int32s) -> tuple[Int32s, Int32s, Int64s]:
    """Caller and callee of each pair, and which pair each call is of."""
    pairs = caller.astype(np.int64) << 32 | callee
    found, of_edge = np.unique(pairs, return_inverse=True)
    return (found >> 32).astype(np.int32), found.astype(np.int32), of_edge


def _sum_groups(values: Int64s, group: npt.NDArray[np.integer], n_groups: int) -> Int64s:
    if np.abs(values.astype(np.float64)).sum() >= _MOST:
        raise ProfileError("it has costs whose sum 63 bits cannot hold")
    sums = np.zeros(n_groups, np.int64)
    np.add.at(sums, group, values)
    return sums


def _sum_totals(
    own: Int64s,
    caused: Int64s,
    caller: Int32s,
    callee: Int32s,
    circle: Int32s,
    *,
    has_all_callees: bool,
) -> Int64s:
    """(n_costs, n_functions) int64. ``circle`` (n_functions,): functions of one circle have the
    same number."""
    is_in_circle = np.bincount(circle, minlength=len(circle))[circle] > 1
    may_be_more = is_in_circle | np.bool_(not has_all_callees)
    is_between = circle[caller] != circle[callee]
    totals = np.empty_like(own)
    for total, own_row, caused_row in zip(totals, own, caused, strict=True):
        between = caused_row[is_between]
        n = len(own_row)
        total[:] = own_row + _sum_groups(between, caller[is_between], n)
        from_outside = _sum_groups(between, callee[is_between], n)
        is_more = (np.abs(from_outside) > np.abs(total)) & may_be_more
        total[is_more] = from_outside[is_more]
    return totals


def _describe_circles(n_functions: int) -> tuple[str, ...]:
    if not n_functions:
        return ()
    return (f"{n_functions} functions call each other in circles: their cum may be larger",)
