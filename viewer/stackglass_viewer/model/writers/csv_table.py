"""Writer of CSV: one row per function, with flat and cum of every sample type, without labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile


def write_csv(profile: Profile, sample_types: Sequence[TypeId]) -> bytes:
    """Return the file in UTF-8: the rows with a value, the largest flat of the first type first,
    then the largest cum, whatever their signs."""
    tree = build_call_tree(profile)
    tops = [build_top(tree, sum_type(tree, profile, each)) for each in sample_types]
    head = ["name", "file", "line"]
    for each in sample_types:
        kind = profile.sample_types[each]
        head += [f"{kind.name} {column} ({kind.unit})" for column in ("flat", "cum")]
    columns = [column for top in tops for column in (top.flat, top.cum)]
    has_value = np.any(columns, axis=0)
    order = np.lexsort((-np.abs(tops[0].cum), -np.abs(tops[0].flat)))
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    top = tops[0]
    for row in order[has_value[order]].tolist():
        line = 0 if top.line is None else int(top.line[row])
        values = [int(column[row]) for column in columns]
        writer.writerow([top.name[row], top.file[row], line or "", *values])
    return file.getvalue().encode(errors="replace")
