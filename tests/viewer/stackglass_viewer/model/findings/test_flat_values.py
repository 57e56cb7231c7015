"""What functions have of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.findings import EVEN, Case
from stackglass_viewer.model.findings.finding import FindingKind
from stackglass_viewer.model.findings.flat_values import (
    find_largest,
    find_most_called,
    find_package_share,
)
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.tables.top_model import Arrangement, order_rows

JSON = "/usr/lib/python3.11/json/"


def make_table(rows: list[tuple[str, str, int]], total: int = 100) -> TopTable:
    """Of name, file and flat."""
    names, files, flat = zip(*rows, strict=True)
    values = np.array(flat, np.int64)
    return TopTable(names, files, values, values, None, total, "nanoseconds")


def test_over_how_many_functions_half_is_spread(tmp_path: Path) -> None:
    assert Case(EVEN, tmp_path).only(FindingKind.EVEN).value == 20  # of 40
    largest = Case(f"{EVEN}\nmain;serve0;hash 70", tmp_path).only(FindingKind.LARGEST)
    assert largest.count == 18  # 70 and 17 of 10 are 240 of 470


def test_placeholders_are_not_among_the_functions_that_make_up_half(tmp_path: Path) -> None:
    native = Case(f"{EVEN}\nmain;<native> 100", tmp_path).only(FindingKind.EVEN)
    assert (native.value, native.count, native.parts) == (25, 0, ())  # of 40, which have 400 of 500
    case = Case(f"{EVEN}\nmain;<before attach> 5600", tmp_path)
    found = case.only(FindingKind.EVEN)
    assert (found.value, found.count) == (0, 0)
    ((placeholder, share),) = found.parts
    assert (case.name(placeholder), share) == ("<before attach>", 5600 / 6000)
    largest = find_largest(Case(f"{EVEN}\nmain;hash 150\nmain;<native> 700", tmp_path).top)
    assert [each.count for each in largest] == [0]


def test_of_few_functions_half_is_not_counted(tmp_path: Path) -> None:
    text = "\n".join(f"main{n};step{n} 10" for n in range(9))
    assert Case(text, tmp_path).only(FindingKind.LARGEST).count == 0


def test_a_function_is_not_the_largest_if_a_placeholder_has_more(tmp_path: Path) -> None:
    native, parked, less = (
        find_largest(Case(f"{EVEN}\nmain;hash 70\nmain;{rest}", tmp_path).top)
        for rest in ("<native> 90", "runtime.gopark 90", "<native> 60")
    )
    assert [each.value for each in native] == [0]
    assert parked == []
    assert [each.value for each in less] == [1]


def test_a_package_whose_functions_have_much_together() -> None:
    rows = [(f"json.encoder.step{n}", f"{JSON}encoder.py", 8) for n in range(4)]
    rows += [("json.decoder.scan", f"{JSON}decoder.py", 9), ("__main__.a", "/app/a.py", 10)]
    (found,) = find_package_share(make_table(rows))
    assert (found.name, found.count, found.share) == ("json (standard library)", 5, 0.41)
    assert find_package_share(make_table(rows, total=1000)) == []


def test_a_package_is_what_the_filter_of_the_table_shows() -> None:
    rows = [(f"runtime.step{n}", "proc.go", 9) for n in range(4)]
    rows += [("runtime.memclr", "memclr_amd64.s", 8), ("runtime.cgo", "cgo.c", 6)]
    top = make_table([*rows, ("runtime/pprof.Do", "pprof.go", 9), ("main.main", "main.go", 41)])
    (found,) = find_package_share(top)
    rows_shown = order_rows(top, Arrangement(pattern=found.detail))
    assert (found.count, found.share) == (6, 0.5)
    assert (len(rows_shown), int(top.flat[rows_shown].sum())) == (6, 50)


def test_a_package_of_one_function_is_not_named_besides_it() -> None:
    rows = [
        ("json.a", f"{JSON}a.py", 50),
        ("json.b", f"{JSON}a.py", 5),
        ("json.c", f"{JSON}a.py", 5),
    ]
    assert find_package_share(make_table(rows)) == []


def test_a_package_is_not_named_besides_its_large_functions() -> None:
    rows = [("a", "/app/a.py", 30), ("b", "/app/a.py", 25), ("c", "/app/a.py", 25)]
    assert find_package_share(make_table([*rows, ("d", "", 20)])) == []


def test_a_file_with_everything_is_usual() -> None:
    assert find_package_share(make_table([(f"f{n}", "/app/a.py", 25) for n in range(4)])) == []


def test_the_function_that_is_called_most() -> None:
    top = make_table([("isinstance", "", 5), ("work", "/app/a.py", 95)])
    assert find_most_called(top) == []
    (found,) = find_most_called(replace(top, calls=np.array([900, 100])))
    assert (found.function, found.count, found.share) == (0, 900, 0.05)
    assert find_most_called(replace(top, calls=np.array([0, 0]))) == []
    assert find_most_called(replace(top, calls=top.flat)) == []  # the table is one of calls


def test_collectors_and_allocators(tmp_path: Path) -> None:
    text = f"{EVEN}\nruntime.gcBgMarkWorker;scan 80\nmain;serve0;runtime.mallocgc 100"
    case = Case(text, tmp_path)
    assert case.name(case.only(FindingKind.GC).function) == "runtime.gcBgMarkWorker"
    assert case.only(FindingKind.GC).share == 80 / 580
    assert case.only(FindingKind.ALLOCATING).share == 100 / 580


def test_code_without_names(tmp_path: Path) -> None:
    case = Case(f"{EVEN}\nmain;[libc.so] 60\nmain;libz: 0x4f2 20", tmp_path)
    found = case.only(FindingKind.UNNAMED)
    assert (case.name(found.function), found.count, found.share) == ("[libc.so]", 2, 80 / 480)
    assert FindingKind.UNNAMED not in Case(f"{EVEN}\nmain;[libc.so] 20", tmp_path).kinds
