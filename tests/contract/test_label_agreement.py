"""Label tables and split graphs: the sums of ``go tool pprof -tags`` and ``-tagroot``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.labelled_profile import Label, write_labelled
from harness.pprof_shell import print_reports
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.label_roots import root_by_label
from stackglass_viewer.model.profile.label_table import build_label_tables, index_profile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

LABELS: list[list[Label]] = [
    [],
    [("bytes", 0, "")],  # no label: a zero without a unit
    [("bytes", 1024, "")],
    [("bytes", 1025, "")],  # printed as the one before
    [("bytes", -2048, "")],
    [("wait", 0, "ms"), ("size", 3, "")],
    [("wait", 1500, ""), ("size", 3, "widgets")],
    [("route", "/a", ""), ("state", "b", ""), ("state", "a", "")],  # two values of a key
    [("route", "/b", ""), ("state", 5, "")],  # a key with texts and numbers
    [("route", "/a", ""), ("request", 4096, "")],
    [("route", "", "")],
]
_KEY = re.compile(r" *(?P<key>\S+): Total (?P<total>-?\d+) ")
_VALUE = re.compile(r" *(?P<flat>-?\d+) \([^)]*\): *(?P<value>.*)")
_ROW = re.compile(r" *-?\d+\s+\S+\s+\S+\s+(?P<cum>-?\d+)\s+\S+%  ?(?P<name>.*)")
Sums = dict[str, tuple[int, dict[str, int]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "labels.pb", LABELS)


def read_tags(text: str) -> Sums:
    """Total, and the sum of each value, by key."""
    sums: Sums = {}
    values: dict[str, int] = {}
    for line in filter(None, text.splitlines()):
        key, value = _KEY.match(line), _VALUE.match(line)
        if key:
            values = {}
            sums[key["key"]] = (int(key["total"]), values)
        else:
            assert value, f"not a row of -tags: {line!r}"
            values[value["value"]] = int(value["flat"])
    return sums


def test_a_split_graph_has_the_frames_of_tagroot(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    index = index_profile(profile)
    keys = ("route", "state")  # -tagroot writes numbers without their unit
    reports = print_reports("top", [[f"tagroot={key}", "sort=cum"] for key in keys], path)
    for key, report in zip(keys, reports, strict=True):
        rows = map(_ROW.match, report.splitlines())
        theirs = {row["name"]: int(row["cum"]) for row in rows if row and row["name"] != "f"}
        split = root_by_label(profile, index, key)
        tree = build_call_tree(split)
        top = build_top(tree, sum_type(tree, split, TypeId(0)))
        cums = dict(zip(top.name, top.cum.tolist(), strict=True))
        theirs.pop("<unknown>")  # samples without the label, or with an empty value
        assert theirs
        names = {
            name: ",".join(sorted(name.split(","))) for name in theirs
        }  # theirs: as in the file
        assert {name: cums[f"{key} = {names[name]}"] for name in theirs} == theirs


def test_label_tables_hold_the_sums_of_pprof(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    weights = profile.samples.values[0]
    tables = build_label_tables(index_profile(profile), weights, weights // weights)
    sums = {
        table.key: (table.total, dict(zip(table.value, table.flat.tolist(), strict=True)))
        for table in tables
    }
    (report,) = print_reports("tags", [[]], path)
    assert sums == read_tags(report)
    assert len(sums) == 6
