"""cProfile's file as callgrind's: the same functions, calls and costs, here and in valgrind."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness.reports import run_command
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.call_cycles import find_cycles
from stackglass_viewer.model.readers.opener import open_profile

PATH = Path(__file__).resolve().parents[3] / "corpus" / "cprofile.workload.py3.12.prof"


def read(path: Path) -> FunctionTable:
    table = open_profile(path)
    assert isinstance(table, FunctionTable)
    return table


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "out.callgrind"
    assert run_command("convert", PATH, "-o", out) == 0
    return out


def name_functions(table: FunctionTable) -> list[tuple[str, str, int]]:
    names = (re.sub(r":\d+$", "", name) for name in table.name)
    return list(zip(table.file, names, table.line.tolist(), strict=True))


def list_edges(table: FunctionTable) -> dict[tuple[object, object], tuple[int, int]]:
    names = name_functions(table)
    columns = (table.edge_caller, table.edge_callee, table.edge_n_calls, table.edge_total[0])
    return {
        (names[caller], names[callee]): (n, total)
        for caller, callee, n, total in zip(*(each.tolist() for each in columns), strict=True)
    }


def test_functions_and_calls_are_as_in_the_input(written: Path) -> None:
    before, after = read(PATH), read(written)
    own = dict(zip(name_functions(before), before.own[0].tolist(), strict=True))
    assert len(own) == before.n_functions
    assert dict(zip(name_functions(after), after.own[0].tolist(), strict=True)) == own
    assert list_edges(after) == list_edges(before)
    assert after.sample_types[0] == before.sample_types[0]
    assert len(set(zip(after.file, after.name, strict=True))) == before.n_functions


def test_totals_are_as_in_the_input_outside_of_recursion(written: Path) -> None:
    """In a cycle a total is a lower bound. Of two functions cProfile's own calls do not add
    up to the total."""
    before, after = read(PATH), read(written)
    order = np.argsort(before.edge_caller, kind="stable")
    edges = before.edge_caller[order], before.edge_callee[order]
    cycle, _ = find_cycles(before.n_functions, *edges)
    is_alone = np.bincount(cycle, minlength=before.n_functions)[cycle] == 1
    total = dict(zip(name_functions(after), after.total[0].tolist(), strict=True))
    written_total = np.array([total[each] for each in name_functions(before)])
    is_other = np.abs(written_total - before.total[0]) > 2_000  # each time is rounded by itself
    others = [before.name[each] for each in np.flatnonzero(is_alone & is_other).tolist()]
    assert others == ["compile_all", "<lambda>"]
    assert np.count_nonzero(is_alone) > 400


@pytest.mark.skipif(not shutil.which("callgrind_annotate"), reason="needs valgrind")
@pytest.mark.parametrize("inclusive", ["no", "yes"])
def test_callgrind_annotate_has_the_same_numbers(written: Path, inclusive: str) -> None:
    words = ["callgrind_annotate", f"--inclusive={inclusive}", "--threshold=100", "--auto=no"]
    said = subprocess.run([*words, written], check=True, capture_output=True, text=True).stdout
    table = read(written)
    rows = re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  (.+)$", said, re.MULTILINE)
    found = {text: int(number.replace(",", "")) for number, text in rows}
    assert found.pop("PROGRAM TOTALS") == int(table.own[0].sum())
    costs = table.own[0].copy()
    if inclusive == "yes":  # the cost of the calls to a function, if they cost anything
        np.add.at(costs, table.edge_caller, table.edge_total[0])
        of_calls = np.zeros_like(costs)
        np.add.at(of_calls, table.edge_callee, table.edge_total[0])
        costs = np.where(of_calls, of_calls, costs)
    names = zip(table.file, table.name, costs.tolist(), strict=True)
    expected = {f"{file or '???'}:{name}": cost for file, name, cost in names}
    assert len(found) > 300
    assert {text: expected[text] for text in found} == found
