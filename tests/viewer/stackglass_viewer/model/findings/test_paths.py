"""Where cost comes together, calls itself, or is the import of modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.findings import Case
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.flat_values import find_own
from stackglass_viewer.model.findings.nesting import TreeNesting
from stackglass_viewer.model.findings.paths import find_common, find_mine
from stackglass_viewer.model.graph.top import TopTable

FLAT = [f"main;serve{n};step{n} 10" for n in range(20)]
IMPORT = "importlib._bootstrap._find_and_load"


def make(folder: Path, *lines: str) -> Case:
    return Case("\n".join((*FLAT, *lines)), folder)


def name_common(case: Case) -> list[str]:
    """As if no function were the user's own."""
    nesting = TreeNesting(case.tree, case.values).sum_inner
    return [case.name(each.function) for each in find_common(nesting, case.top, find_own(case.top))]


def test_the_innermost_function_with_much_is_named(tmp_path: Path) -> None:
    lines = [f"main;load;decode;part{n} 5" for n in range(20)]
    case = make(tmp_path, *lines, "main;load;close 10")
    assert name_common(case) == ["decode"]  # not load: it has nearly all of it from decode


def test_entry_points_are_not_where_cost_comes_together(tmp_path: Path) -> None:
    lines = [f"threading.Thread.run;part{n} 5" for n in range(20)]
    assert name_common(make(tmp_path, *lines)) == []


def test_a_function_with_one_large_callee_is_not_named_besides_it(tmp_path: Path) -> None:
    case = make(tmp_path, "main;load;hash 150", "main;load;close 10")
    assert case.name(case.only(FindingKind.OWN).function) == "hash"
    assert name_common(case) == []


def test_of_functions_that_call_each_other_one_is_named(tmp_path: Path) -> None:
    lines = [f"main;odd;even;part{n} 3\nmain;even;odd;part{n} 3" for n in range(20)]
    assert len(name_common(make(tmp_path, *lines))) == 1


def test_own_code_with_everything_is_named_if_there_is_no_other() -> None:
    def nest(outer: Sequence[int], inner: Sequence[int]) -> Int64s:
        """0 calls 1, and 1 calls 2."""
        return np.array([[100 if a < b else 0 for b in inner] for a in outer])

    flat, cum = np.array([0, 0, 95]), np.array([100, 100, 100])
    names, files = ("main.main", "main.loop", "sync.Unlock"), ("main.go", "main.go", "mutex.go")
    top = TopTable(names, files, flat, cum, None, 100, "nanoseconds")
    (found,) = find_mine(nest, top, find_own(top))
    assert (found.function, found.share) == (1, 1.0)
    assert find_mine(None, top, find_own(top)) == []
    names = ("main.main", "main.loop", "main.spin")
    assert find_mine(nest, replace(top, name=names), find_own(replace(top, name=names))) == []


def test_what_own_code_has_nearly_all_of_is_not_named_besides(tmp_path: Path) -> None:
    lines = [f"main;handle;encode;part{n} 4" for n in range(20)]
    case = make(tmp_path, *lines, "main;handle;log 12")
    nesting = TreeNesting(case.tree, case.values).sum_inner
    handle = case.top.name.index("handle")
    assert [case.name(each.function) for each in find_common(nesting, case.top, [])] == ["encode"]
    assert find_common(nesting, case.top, [Finding(FindingKind.MINE, handle)]) == []


def test_the_main_callees_of_a_function(tmp_path: Path) -> None:
    lines = [f"main;handle;load;part{n} 3\nmain;handle;save;part{n} 4" for n in range(20)]
    case = make(tmp_path, *lines, "main;handle;log 2")
    finding = case.only(FindingKind.MINE)
    assert case.name(finding.function) == "handle"
    parts = [(case.name(part.function), part.share) for part in finding.parts]
    assert parts == [("save", 80 / 342), ("load", 60 / 342)]


def test_recursion_and_its_depth(tmp_path: Path) -> None:
    lines = ["main" + ";walk" * depth + " 10" for depth in range(1, 9)]
    case = make(tmp_path, *lines)
    finding = case.only(FindingKind.RECURSION)
    assert (case.name(finding.function), finding.count) == ("walk", 8)
    assert finding.share == 80 / 280
    assert (
        FindingKind.RECURSION not in make(tmp_path, "main" + ";walk" * 7 + " 90").kinds
    )  # seven deep
    assert FindingKind.RECURSION not in make(tmp_path, "main" + ";walk" * 8 + " 9").kinds


def test_imports_and_the_module_with_most(tmp_path: Path) -> None:
    begin = f"main;{IMPORT};shop.<module>;{IMPORT}"
    lines = [f"{begin};numpy.<module>;load{n} 5" for n in range(10)]
    case = make(tmp_path, *lines, f"{begin};re.<module>;compile 20", f"{begin};find 5")
    finding = case.only(FindingKind.IMPORT)
    assert (case.name(finding.function), finding.share) == (IMPORT, 75 / 275)
    assert [case.name(part.function) for part in finding.parts] == ["numpy.<module>"]
    assert finding.parts[0].share == 50 / 275
    assert name_common(case) == []
    assert FindingKind.RECURSION not in case.kinds


def test_few_imports_are_usual(tmp_path: Path) -> None:
    assert FindingKind.IMPORT not in make(tmp_path, f"main;{IMPORT};re.<module> 10").kinds


def test_values_of_a_label_are_no_callers_and_no_functions(tmp_path: Path) -> None:
    """In a graph that is split by a label, a function seemed to be called from each value."""
    roots = [*(f"thread = worker {n}" for n in range(4)), "(no thread)"]
    case = make(tmp_path, *(f"{root};work;part{n} 10" for root in roots for n in range(20)))
    assert FindingKind.SHARED not in case.kinds
    case = make(tmp_path, *(f"(no thread);part{n} 10" for n in range(40)))
    assert name_common(case) == []
    case = make(tmp_path, *(f"run{root};work;part{n} 10" for root in range(5) for n in range(20)))
    assert case.only(FindingKind.SHARED).count == 5
