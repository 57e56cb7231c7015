"""callgrind's format, as text and as our reader has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.callgrind import write_callgrind

TYPES = [TypeId(1), TypeId(0)]


def write(profile: Profile) -> bytes:
    return write_callgrind(profile, "shop.pb", TYPES, "1.0")


def reopen(content: bytes) -> FunctionTable:
    table = open_content(content, "out")
    assert isinstance(table, FunctionTable)
    return table


def list_calls(table: FunctionTable) -> dict[tuple[str, str], list[int]]:
    columns = (table.edge_caller.tolist(), table.edge_callee.tolist(), table.edge_total.T.tolist())
    return {
        (table.name[caller], table.name[callee]): costs
        for caller, callee, costs in zip(*columns, strict=True)
    }


def list_functions(table: FunctionTable) -> dict[str, tuple[list[int], list[int]]]:
    rows = zip(table.name, table.own.T.tolist(), table.total.T.tolist(), strict=True)
    return {name: (own, total) for name, own, total in rows}


def test_the_text(tmp_path: Path) -> None:
    content = write(read_stacks("main;load 300\nmain 10", tmp_path))
    assert content.decode() == (
        "# callgrind format\nversion: 1\ncreator: stackglass 1.0\ncmd: shop.pb\npositions: line\n"
        "event: cpu_nanoseconds : cpu (nanoseconds)\nevent: samples_count : samples (count)\n"
        "events: cpu_nanoseconds samples_count\nsummary: 310 2\n"
        "\nfl=(1) load.py\nfn=(1) load\n1 300 1\n"
        "\nfl=(2) main.py\nfn=(2) main\n1 10 1\ncfl=(1)\ncfn=(1)\ncalls=1 0\n1 300 1\n"
    )


def test_sums_of_functions_and_calls(tmp_path: Path) -> None:
    table = reopen(write(read_stacks("main;load;parse 300\nmain;save 90\nmain 10", tmp_path)))
    assert list_functions(table) == {
        "main": ([10, 1], [400, 3]),
        "load": ([0, 0], [300, 1]),
        "parse": ([300, 1], [300, 1]),
        "save": ([90, 1], [90, 1]),
    }
    assert list_calls(table) == {
        ("main", "load"): [300, 1],
        ("load", "parse"): [300, 1],
        ("main", "save"): [90, 1],
    }
    assert not table.warnings


def test_a_call_counts_once_for_each_sample(tmp_path: Path) -> None:
    table = reopen(write(read_stacks("a;b;a;b;b;c 7\na;b 5", tmp_path)))
    assert list_calls(table) == {("a", "b"): [12, 2], ("b", "a"): [7, 1], ("b", "c"): [7, 1]}
    assert list_functions(table)["c"] == ([7, 1], [7, 1])


def test_many_samples_are_summed_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = read_stacks("\n".join(f"main;f{n % 7};g{n % 3} {n}" for n in range(200)), tmp_path)
    whole = write(profile)
    monkeypatch.setattr("stackglass_viewer.model.writers.call_costs._FRAMES_AT_A_TIME", 50)
    assert write(profile) == whole


def test_names_that_would_break_a_line(tmp_path: Path) -> None:
    profile = read_stacks("main;a\tb 3\nmain;(7) 4", tmp_path)
    assert {"a\ufffdb", "(7)"} <= set(reopen(write(profile)).name)


def test_values_below_zero_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="below zero"):
        write(read_stacks("main -3", tmp_path))


@pytest.mark.parametrize(("line", "written"), [(-1, 0), (2**62, 2**62)])
def test_lines_of_any_number_stay_with_their_function(
    line: int, written: int, tmp_path: Path
) -> None:
    profile = read_stacks("main;load 300\nmain 10", tmp_path)
    numbers = np.where(profile.locations.line_number == 1, 1, 0)
    numbers[:1] = line  # load, which is the first location
    changed = replace(profile, locations=replace(profile.locations, line_number=numbers))
    content = write(changed)
    assert list_functions(reopen(content))["load"] == ([300, 1], [300, 1])
    assert f"fn=(1) load\n{written} 300 1\n" in content.decode()
