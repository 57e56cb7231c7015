"""JSON of a table of functions: exact, and null where nothing is known."""

from __future__ import annotations

import json
import marshal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_function_top, build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.reports.top_json import describe_top

CPU = TypeId(1)
BIG = 2**60 + 1  # a float would lose the one
F, G = ("a.py", 1, "f"), ("", 0, "g")


def describe_profile(profile: Profile, rows: list[int]) -> Any:
    tree = build_call_tree(profile)
    table = build_top(tree, sum_type(tree, profile, CPU))
    document = describe_top(profile, "cpu.pb", CPU, table, np.array(rows))
    return json.loads(json.dumps(document))


def describe_stats(stats: Any, rows: list[int]) -> Any:
    table = read_pstats(marshal.dumps(stats), lambda: False)
    top = build_function_top(table, table.default_type)
    document = describe_top(table, "run.prof", table.default_type, top, np.array(rows))
    return json.loads(json.dumps(document))


def test_a_profile_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    profile = replace(
        read_stacks(f"main;work {BIG}", tmp_path),
        time_unix_ns=10**18 + 1,
        comments=("one",),
        warnings=("some stacks are cut",),
    )
    document = describe_profile(profile, [1, 0])
    names = [row["name"] for row in document["rows"]]
    assert sorted(names) == ["main", "work"]
    work = document["rows"][names.index("work")]
    assert work == {
        "name": "work",
        "file": "work.py",
        "line": work["line"],
        "flat": BIG,
        "cum": BIG,
    }
    del document["rows"]
    assert document == {
        "file": "cpu.pb",
        "time_unix_ns": 10**18 + 1,
        "duration_ns": 1_000_000_000,
        "comments": ["one"],
        "warnings": ["some stacks are cut"],
        "sample_types": [
            {"name": "samples", "unit": "count"},
            {"name": "cpu", "unit": "nanoseconds"},
        ],
        "sample_index": "cpu",
        "unit": "nanoseconds",
        "total": BIG,
    }


def test_what_is_unknown_of_a_profile_is_null(tmp_path: Path) -> None:
    profile = replace(read_stacks("main 5", tmp_path), duration_ns=0)
    document = describe_profile(profile, [])
    assert (document["time_unix_ns"], document["duration_ns"]) == (None, None)
    assert document["rows"] == []


def test_rows_come_as_they_were_ordered(tmp_path: Path) -> None:
    profile = read_stacks("main;work 5", tmp_path)
    forward, backward = (describe_profile(profile, rows)["rows"] for rows in ([0, 1], [1, 0]))
    assert forward == backward[::-1] != backward


def test_a_table_has_calls_and_callers() -> None:
    stats: Any = {F: (2, 3, 0.5, 0.75, {}), G: (1, 1, 0.25, 0.25, {F: (4, 1, 0.1, 0.2)})}
    document = describe_stats(stats, [1, 0])
    assert "duration_ns" not in document
    assert document["sample_index"] == "time"
    assert document["rows"] == [
        {
            "name": "g",
            "file": "",
            "line": 0,
            "flat": 250_000_000,
            "cum": 250_000_000,
            "calls": 1,
            "primitive_calls": 1,
            "callers": [
                {
                    "name": "f",
                    "file": "a.py",
                    "line": 1,
                    "calls": 4,
                    "primitive_calls": 1,
                    "flat_ns": 100_000_000,
                    "cum_ns": 200_000_000,
                }
            ],
        },
        {
            "name": "f",
            "file": "a.py",
            "line": 1,
            "flat": 500_000_000,
            "cum": 750_000_000,
            "calls": 3,
            "primitive_calls": 2,
            "callers": [],
        },
    ]


def test_all_values_are_divided_and_calls_are_not() -> None:
    stats: Any = {F: (2, 2, 0.5, 0.75, {}), G: (1, 1, 0.25, 0.25, {F: (4, 1, 0.1, 0.2)})}
    table = read_pstats(marshal.dumps(stats), lambda: False)
    top, kind = build_function_top(table, table.default_type), table.default_type
    rows = np.array([1])
    document = describe_top(table, "x", kind, top, rows, lambda value: value // 1000)
    (row,) = document["rows"]
    assert (document["total"], row["flat"], row["cum"], row["calls"]) == (
        *(750_000, 250_000, 250_000),
        1,
    )
    (edge,) = row["callers"]
    assert (edge["flat_ns"], edge["cum_ns"], edge["calls"]) == (100_000, 200_000, 4)


def test_what_an_edge_does_not_know_is_null() -> None:
    stats: Any = {F: (1, 1, 0.5, 0.5, {}), G: (1, 1, 0.25, 0.25, {F: 7})}
    edge = describe_stats(stats, [1])["rows"][0]["callers"][0]
    assert (edge["calls"], edge["primitive_calls"]) == (7, 7)
    assert (edge["flat_ns"], edge["cum_ns"]) == (None, None)
