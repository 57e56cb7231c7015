"""Search: what is found, and that nothing is counted twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import grow_tree
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.graph.search import Query, find_matches

TEXT = "m.main;json.load;json.scan 30\nm.main;json.load 10\nm.main;db.Query 60"


@pytest.mark.parametrize(
    ("query", "n_frames", "total"),
    [
        (Query("json"), 2, 40),
        (Query(r"json\.s"), 1, 30),
        (Query("QUERY"), 0, 0),
        (Query("query"), 1, 60),
        (Query("Query", is_case_sensitive=True), 1, 60),
        (Query("query", is_case_sensitive=True), 0, 0),
        (Query("json.s", is_regex=False), 1, 30),
        (Query("j.*n", is_regex=False), 0, 0),
        (Query(r"^m\.main$|db"), 2, 100),
        (Query(r"db\.py"), 1, 60),
        (Query("^db.query$"), 0, 0),
        (Query("^db.query"), 1, 60),
        (Query(""), 0, 0),
        (Query(r"\S+Q"), 1, 60),
    ],
)
def test_matches(tmp_path: Path, query: Query, n_frames: int, total: int) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    matches = find_matches(tree, values, query)
    assert (matches.n_frames, matches.total) == (n_frames, total)
    assert matches.share == total / 100


def test_functions_without_a_value_are_not_counted(tmp_path: Path) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    is_scan = np.array([name == "json.scan" for name in tree.frame_name])[tree.frame]
    lacking = replace(values, total=np.where(is_scan, 0, values.total))
    matches = find_matches(tree, lacking, Query("json"))
    assert matches.n_frames == 1
    assert matches.is_match.sum() == 2, "it stands out as soon as it has a value"


@pytest.mark.checklist(103)
def test_recursion_counts_once(tmp_path: Path) -> None:
    """Checklist 103."""
    tree, values = grow_tree("f;g;f;g 5\ng 1", tmp_path)
    assert find_matches(tree, values, Query("g")).total == 6


def test_what_is_no_expression_is_said(tmp_path: Path) -> None:
    tree, values = grow_tree(TEXT, tmp_path)
    with pytest.raises(PatternError, match="not a regular expression"):
        find_matches(tree, values, Query("("))
