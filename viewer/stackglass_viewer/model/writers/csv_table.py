"""Writer of CSV: one row per function, with flat and cum of every sample type, without labels.

In place of its last type, a table of functions (cProfile, callgrind) has all calls and primitive
calls.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable


def write_csv(profile: Profile, sample_types: Sequence[TypeId]) -> bytes:
    """Return the file in UTF-8: the rows with a value, the largest flat of the first type first,
    then the largest cum, whatever their signs."""
    tree = build_call_tree(profile)
    tops = [build_top(tree, sum_type(tree, profile, each)) for each in sample_types]
    head = _name_columns([profile.sample_types[each] for each in sample_types])
    columns = [column for top in tops for column in (top.flat, top.cum)]
    has_value = np.any(columns, axis=0)
    order = np.lexsort((-np.abs(tops[0].cum), -np.abs(tops[0].flat)))
    top, rows = tops[0], list[list[str | int]]()
    for row in order[has_value[order]].tolist():
        line = 0 if top.line is None else int(top.line[row])
        values = [int(column[row]) for column in columns]
        rows.append([top.name[row], top.file[row], line or "", *values])
    return _write(head, rows)


def write_table_csv(table: FunctionTable) -> bytes:
    """Return the file in UTF-8: all functions, in the order of ``write_csv``."""
    head = _name_columns(table.sample_types[: len(table.own)])
    columns = [column for pair in zip(table.own, table.total, strict=True) for column in pair]
    if table.has_calls:
        head += ["calls", "primitive calls"]
        columns += [table.n_calls, table.n_primitive_calls]
    rows = list[list[str | int]]()
    for row in np.lexsort((-table.total[0], -table.own[0])).tolist():
        values = [int(column[row]) for column in columns]
        rows.append([table.name[row], table.file[row], int(table.line[row]) or "", *values])
    return _write(head, rows)


def _name_columns(sample_types: Sequence[SampleType]) -> list[str]:
    head = ["name", "file", "line"]
    for kind in sample_types:
        head += [f"{kind.name} {column} ({kind.unit})" for column in ("flat", "cum")]
    return head


def _write(head: list[str], rows: list[list[str | int]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    # Older versions of the module quote "\r" only if lines end with it.
    quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    lines: list[Sequence[str | int]] = [head, *rows]
    for row in lines:
        has_return = any(isinstance(each, str) and "\r" in each for each in row)
        (quoting if has_return else writer).writerow(row)
    return file.getvalue().encode(errors="replace")
