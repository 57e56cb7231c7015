"""What stands out in a call tree, and what does not: healthy profiles first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.findings import EVEN, Case
from stackglass_viewer.model.findings.finding import FindingKind
from stackglass_viewer.model.findings.outstanding_facts import MOST, find_outstanding
from stackglass_viewer.model.graph.top import TopTable

# -- healthy


def test_a_profile_without_values_says_nothing(tmp_path: Path) -> None:
    assert Case("main;work 0", tmp_path).found == ()


def test_an_even_profile_says_only_that(tmp_path: Path) -> None:
    case = Case(EVEN, tmp_path)
    assert case.kinds == {FindingKind.EVEN}
    finding = case.only(FindingKind.EVEN)
    assert (finding.count, round(finding.share, 4)) == (36, 0.025)


def test_methods_in_c_count_for_an_even_profile(tmp_path: Path) -> None:
    """As cProfile names them."""
    read, lost = "<method 'read' of '_io.BufferedReader' objects>", "main;<lost samples> 300"
    found = Case(f"{EVEN}\nmain;serve0;{read} 20", tmp_path).only(FindingKind.EVEN)
    assert round(found.share, 4) == round(20 / 420, 4)
    assert Case(f"{EVEN}\n{lost}", tmp_path).only(FindingKind.EVEN).share == 10 / 700


def test_a_method_in_c_is_the_largest(tmp_path: Path) -> None:
    for name in ("<method 'read' of '_io.BufferedReader' objects>", "<listcomp>"):
        case = Case(f"{EVEN}\nmain;serve0;{name} 70", tmp_path)
        assert case.kinds == {FindingKind.LARGEST}
        assert case.name(case.only(FindingKind.LARGEST).function) == name
        assert FindingKind.OWN in Case(f"{EVEN}\nmain;serve0;{name} 700", tmp_path).kinds


def test_few_functions_are_not_called_even(tmp_path: Path) -> None:
    text = "\n".join(f"main{n};step{n} 10" for n in range(12))
    assert Case(text, tmp_path).found == ()


def test_many_samples_are_not_mentioned(tmp_path: Path) -> None:
    assert Case(EVEN, tmp_path, n_samples=400).kinds == {FindingKind.EVEN}


def test_a_little_collecting_and_c_code_is_usual(tmp_path: Path) -> None:
    text = f"{EVEN}\nmain;serve0;<native> 60\nmain;serve1;<gc> 15\nmain;<lost samples> 3"
    assert Case(text, tmp_path).kinds == {FindingKind.EVEN}


def test_what_has_one_caller_is_not_shared(tmp_path: Path) -> None:
    text = "main;a;help 10\nmain;b;help 2\nmain;c;help 2\nmain;d;rest 6"
    assert FindingKind.SHARED not in Case(text, tmp_path).kinds


def test_a_recursion_is_no_path_that_splits(tmp_path: Path) -> None:
    text = "main;walk;walk 30\nmain;walk;read 30\nmain;walk;walk;read 40"
    assert FindingKind.PATH not in Case(text, tmp_path).kinds


def test_roots_side_by_side_are_no_path(tmp_path: Path) -> None:
    assert FindingKind.PATH not in Case("one;a 40\ntwo;b 60", tmp_path).kinds


# -- what stands out


def test_a_function_with_much_of_its_own(tmp_path: Path) -> None:
    case = Case(f"{EVEN}\nmain;serve0;hash 400\nmain;serve1;hash 100", tmp_path)
    finding = case.only(FindingKind.OWN)
    assert (case.name(finding.function), round(finding.share, 3)) == ("hash", round(500 / 900, 3))
    assert FindingKind.EVEN not in case.kinds


def make_table(rows: list[tuple[str, str, int, int]], total: int) -> TopTable:
    """Of name, file, flat and cum."""
    names, files, flat, cum = zip(*rows, strict=True)
    return TopTable(names, files, np.array(flat), np.array(cum), None, total, "nanoseconds")


def name_found(top: TopTable, kind: FindingKind) -> list[str]:
    found = find_outstanding(None, None, top)
    return [top.name[each.function] for each in found if each.kind is kind]


def test_own_code_that_has_much_with_what_it_calls() -> None:
    library = "/usr/lib/python3.11/json/encoder.py"
    rows = [
        ("__main__.main", "/app/web.py", 0, 100),  # everything goes through it
        ("__main__.handle", "/app/web.py", 4, 60),
        ("__main__.load", "/app/web.py", 5, 35),
        ("__main__.rare", "/app/web.py", 9, 9),
        ("json.encode", library, 15, 55),
        ("<built-in method compile>", "", 5, 30),
    ]
    top = make_table(rows, 100)
    assert name_found(top, FindingKind.MINE) == ["__main__.handle", "__main__.load"]
    assert name_found(top, FindingKind.LARGEST) == ["json.encode"]
    assert name_found(make_table(rows, 1000), FindingKind.LARGEST) == []


def test_of_own_code_the_inner_function_is_named(tmp_path: Path) -> None:
    text = "\n".join(
        (
            *(f"main;serve;handle;encode{n} 2" for n in range(20)),
            "main;serve;close 2",
            *(f"main;load;read{n} 2" for n in range(20)),
            "main;handle;log 2",
        )
    )
    case = Case(text, tmp_path)
    assert case.kinds == {FindingKind.PATH, FindingKind.EVEN, FindingKind.MINE}
    assert (
        case.name(case.only(FindingKind.MINE).function) == "handle"
    )  # the path names serve and load


def test_own_code_that_was_named_is_not_named_again() -> None:
    top = make_table([("work", "/app/a.py", 50, 60), ("main", "/app/a.py", 0, 100)], 100)
    assert name_found(top, FindingKind.OWN) == ["work"]
    assert name_found(top, FindingKind.LARGEST) == name_found(top, FindingKind.MINE) == []


def test_what_stands_for_something_else_is_no_function(tmp_path: Path) -> None:
    assert FindingKind.OWN not in Case("main;<native> 50\nmain;[libc.so] 50", tmp_path).kinds


def test_where_the_common_path_splits(tmp_path: Path) -> None:
    case = Case("main;run;load 50\nmain;run;save 40\nmain;run;log 6\nmain;idle 4", tmp_path)
    finding = case.only(FindingKind.PATH)
    assert case.name(finding.function) == "run"
    assert round(finding.share, 2) == 0.96
    parts = [(case.name(part.function), round(part.share, 2)) for part in finding.parts]
    assert parts == [("load", 0.5), ("save", 0.4), ("log", 0.06)]
    assert finding.node > 0


def test_a_function_that_many_call(tmp_path: Path) -> None:
    text = "\n".join(f"main;serve{n};dump;write 10" for n in range(5))
    case = Case(text, tmp_path)
    finding = case.only(FindingKind.SHARED)  # not write: one function calls it
    assert case.name(finding.function) == "dump"
    assert (finding.count, finding.share, finding.parts[0].share) == (5, 1.0, 0.2)


def test_c_code_and_who_calls_for_most_of_it(tmp_path: Path) -> None:
    case = Case("main;a;<native> 30\nmain;b;<native> 10\nmain;c 60", tmp_path)
    finding = case.only(FindingKind.NATIVE)
    assert (round(finding.share, 2), case.name(finding.parts[0].function)) == (0.4, "a")
    assert round(finding.parts[0].share, 2) == 0.75


def test_collecting_and_loss(tmp_path: Path) -> None:
    case = Case("main;a 80\nmain;<gc> 15\n<lost samples> 5", tmp_path)
    assert round(case.only(FindingKind.GC).share, 2) == 0.15
    assert round(case.only(FindingKind.LOST).share, 2) == 0.05


def test_few_samples_and_what_that_means(tmp_path: Path) -> None:
    finding = Case(EVEN, tmp_path, n_samples=100).only(FindingKind.FEW)
    assert (finding.count, round(finding.share, 3)) == (100, 0.098)


def test_a_table_without_stacks(tmp_path: Path) -> None:
    top = Case("main;work 90\nmain;rest 10", tmp_path).top
    assert [each.kind for each in find_outstanding(None, None, top)] == [FindingKind.OWN]


def make_changes(*flats: int) -> TopTable:
    flat = np.array(flats, np.int64)
    names = tuple(f"f{n}" for n in range(len(flats)))
    whole = int(np.abs(flat).sum())
    return replace(TopTable(names, names, flat, flat, None, whole, "bytes"), is_change=True)


def test_what_grew_and_shrank_most() -> None:
    found = find_outstanding(None, None, make_changes(70, -20, 5, 5))
    assert [(each.kind, each.function, each.value) for each in found] == [
        (FindingKind.TOTAL_CHANGED, -1, 60),
        (FindingKind.GREW, 0, 70),
        (FindingKind.SHRANK, 1, -20),
    ]


def test_an_even_change_is_that_of_the_total() -> None:
    even = make_changes(*([-984] * 20))
    (found,) = find_outstanding(None, None, replace(even, total_before=20_000))
    assert (found.kind, found.value, found.count) == (FindingKind.ALL_CHANGED, -19_680, 20)
    assert (found.share, found.share_of_base) == (0.05, 0.984)
    (found,) = find_outstanding(None, None, even)
    assert (found.value, found.share_of_base) == (-19_680, None)


def test_small_changes_all_over_are_not_named() -> None:
    assert find_outstanding(None, None, make_changes(*([1, -1] * 20))) == ()
    assert find_outstanding(None, None, make_changes(0, 0)) == ()


# -- which are named


def test_only_the_most_important_findings_are_named(tmp_path: Path) -> None:
    text = (
        *(f"main;importlib._bootstrap._find_and_load;serve{n};dump 10" for n in range(4)),
        "main;a;<native> 30",
        "main;b;<gc> 6",
        "main;<lost samples> 4",
        *("main;walk" + ";walk" * n + " 6" for n in range(1, 6)),
    )
    case = Case("\n".join(text), tmp_path, n_samples=10, duration_ns=10_000)
    kinds = [each.kind for each in case.found]
    assert len(kinds) == MOST + 2
    assert kinds[0] is FindingKind.IDLE
    assert kinds[-2:] == [FindingKind.LOST, FindingKind.FEW]
