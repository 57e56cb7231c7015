"""What changed with what it calls, and what is new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.findings import Case
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.findings.changes import find_changes
from stackglass_viewer.model.findings.finding import FindingKind
from stackglass_viewer.model.findings.nesting import TreeNesting


def test_a_change_with_what_is_called(tmp_path: Path) -> None:
    lines = [f"main;load;part{n} 5" for n in range(9)]
    case = Case("\n".join((*lines, "main;hash 30", "main;idle 1")), tmp_path)
    top = replace(case.top, is_change=True, total_before=100, total=100)
    found = find_changes(top, TreeNesting(case.tree, case.values).sum_inner)
    assert [each.kind for each in found] == [
        FindingKind.TOTAL_CHANGED,
        FindingKind.GREW,
        FindingKind.CUM_CHANGED,
    ]
    total, grew, cum = found
    assert (total.value, total.share_of_base) == (76, 0.76)
    assert (case.name(grew.function), grew.share) == ("hash", 0.3)
    assert (case.name(cum.function), cum.value, cum.share) == ("load", 45, 0.45)


def test_what_changed_of_its_own_is_not_said_again(tmp_path: Path) -> None:
    case = Case("main;load;hash 90\nmain;idle 10", tmp_path)
    top = replace(case.top, is_change=True)
    found = find_changes(top, TreeNesting(case.tree, case.values).sum_inner)
    assert [each.kind for each in found] == [FindingKind.TOTAL_CHANGED, FindingKind.GREW]


def test_without_stacks_nothing_is_said_of_callees(tmp_path: Path) -> None:
    top = replace(Case("main;load;hash 90", tmp_path).top, is_change=True)
    zero: Int64s = np.zeros(top.n_functions, np.int64)
    assert [each.kind for each in find_changes(top, None)] == [
        FindingKind.TOTAL_CHANGED,
        FindingKind.GREW,
    ]
    assert find_changes(replace(top, flat=zero, cum=zero), None) == ()


def test_of_what_only_one_profile_has_the_outermost_is_named(tmp_path: Path) -> None:
    lines = [f"main;old;load;part{n} 5" for n in range(9)]
    case = Case("\n".join((*lines, "main;old;close 2", "main;hash 30")), tmp_path)
    top = replace(case.top, is_change=True, cum=-case.top.cum, flat=-case.top.flat)
    values = replace(case.values, total=-case.values.total)
    nesting = TreeNesting(case.tree, values).sum_inner
    gone = replace(top, cum_before=-top.cum)
    changed = replace(top, cum_before=-2 * top.cum)
    names = [
        [case.name(each.function) for each in find_changes(table, nesting)[2:]]
        for table in (gone, changed)
    ]
    assert names == [["old"], ["load"]]
