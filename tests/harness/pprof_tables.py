"""Output of ``go tool pprof -top`` as exact integers by function."""

from __future__ import annotations

import re
from pathlib import Path

from harness.go_tool import run_pprof
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

# pprof chooses a larger unit unless asked otherwise; in these units the numbers are whole.
_UNITS = {"nanoseconds": "ns", "bytes": "B", "microseconds": "us"}
_ROW = re.compile(
    r"^ *(?P<flat>-?[\d.]+)\D*\s+\S+\s+\S+\s+(?P<cum>-?[\d.]+)\D*?\s+\S+?%?\s{2}(?P<name>.*)$"
)
_INLINE = re.compile(r" \((partial-)?inline\)$")

FlatCum = dict[str, tuple[int, int]]


def read_go_top(path: Path, sample_index: int, unit: str, *filters: str) -> FlatCum:
    """Return flat and cum of every function with a value, by name. ``filters``: more options."""
    text = run_pprof(
        "-top",
        "-nodecount=0",
        "-nodefraction=0",
        "-edgefraction=0",
        f"-sample_index={sample_index}",
        f"-unit={_UNITS.get(unit, 'minimum')}",
        *filters,
        path,
    )
    _, _, body = text.partition("cum%\n")
    table: FlatCum = {}
    for line in body.splitlines():
        found = _ROW.match(line)
        assert found, f"not a row of -top: {line!r}"
        flat, cum = int(found["flat"]), int(found["cum"])
        if flat or cum:
            table[_INLINE.sub("", found["name"])] = (flat, cum)
    return table


def read_top(path: Path, sample_index: int) -> FlatCum:
    """Return the same numbers from Stackglass's reader."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    tree = build_call_tree(profile)
    top = build_top(tree, sum_type(tree, profile, TypeId(sample_index)))
    rows = zip(top.name, top.flat.tolist(), top.cum.tolist(), strict=True)
    return {name: (flat, cum) for name, flat, cum in rows if flat or cum}


def check_agreement(path: Path) -> int:
    """Check that both agree on every function and sample type. Returns the number of rows."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    n_rows = 0
    for index, sample_type in enumerate(profile.sample_types):
        go = read_go_top(path, index, sample_type.unit)
        assert read_top(path, index) == go, f"sample type {sample_type.name}"
        n_rows += len(go)
    return n_rows
