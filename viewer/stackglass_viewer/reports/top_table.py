"""Table of the functions of a selection."""

from __future__ import annotations

import argparse
from dataclasses import replace

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import TopTable, build_function_top, build_top, measure_whole
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.reports.selection import name_rows


def tabulate(
    whole: Profile | FunctionTable,
    shown: Profile | FunctionTable,
    sample_type: TypeId,
    arguments: argparse.Namespace,
) -> TopTable:
    """Return the rows of ``shown``, one for each function, file or line, by ``--granularity``.
    Shares are of ``whole``."""
    if isinstance(whole, FunctionTable):
        return build_function_top(whole, sample_type)
    if isinstance(shown, FunctionTable):
        return build_function_top(shown, sample_type)
    named = name_rows(shown, arguments)
    tree = build_call_tree(named)
    table = build_top(tree, sum_type(tree, named, sample_type))
    return replace(table, total=measure_whole(whole, sample_type))
