"""The list of distinct stacks: sums, labels, order, search, and the way back into a tree."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.graph.call_tree import build_call_tree
from stackglass_viewer.model.graph.search import Query
from stackglass_viewer.model.graph.trace_list import (
    TraceList,
    find_path,
    identify_traces,
    list_traces,
    search_traces,
)
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import subtract_base
from stackglass_viewer.model.readers.opener import open_profile

CPU = TypeId(1)


def describe(traces: TraceList) -> list[tuple[int, str, str]]:
    """Value, stack from the root, labels."""
    return [
        (
            int(traces.value[at]),
            ";".join(reversed(traces.name_stack(at))),
            traces.label_texts[traces.labels[at]],
        )
        for at in range(traces.n_traces)
    ]


def read_labelled(folder: Path, text: str, labels: list[dict[str, str]]) -> Profile:
    path = folder / "labelled.pb.gz"
    path.write_bytes(encode_labels(encode_stacks(text), labels))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def test_the_same_stack_is_one_row_and_the_largest_is_first(tmp_path: Path) -> None:
    profile = read_stacks("a;b 3\na;c 10\na;b 4\na 1\na;z 0", tmp_path)
    assert describe(list_traces(profile, CPU)) == [(10, "a;c", ""), (7, "a;b", ""), (1, "a", "")]
    assert describe(list_traces(profile, TypeId(0)))[0] == (2, "a;b", "")


def test_other_labels_are_another_row(tmp_path: Path) -> None:
    labels = [{"route": "/a"}, {"route": "/a", "user": "eve"}, {"route": "/a"}, {}]
    profile = read_labelled(tmp_path, "m;f 5\nm;f 2\nm;f 4\nm;f 1", labels)
    assert describe(list_traces(profile, CPU)) == [
        (9, "m;f", "route: /a"),
        (2, "m;f", "route: /a  user: eve"),
        (1, "m;f", ""),
    ]


def test_a_base_is_subtracted_from_the_same_stack(tmp_path: Path) -> None:
    new, base = (read_stacks(text, tmp_path) for text in ("m;f 10\nm;g 3", "m;f 4\nm;g 3\nm;h 9"))
    difference = subtract_base(new, base, is_marked=True)
    assert describe(list_traces(difference, CPU)) == [(-9, "m;h", ""), (6, "m;f", "")]


def test_sums_are_those_of_a_plain_count(tmp_path: Path) -> None:
    chance = random.Random(7)
    stacks = [";".join(chance.choices("abcd", k=chance.randint(1, 5))) for _ in range(300)]
    values = [chance.randint(1, 9) for _ in stacks]
    expected: Counter[str] = Counter()
    for stack, value in zip(stacks, values, strict=True):
        expected[stack] += value
    text = "\n".join(f"{stack} {value}" for stack, value in zip(stacks, values, strict=True))
    listed = describe(list_traces(read_stacks(text, tmp_path), CPU))
    assert {stack: value for value, stack, _ in listed} == expected
    assert [value for value, _, _ in listed] == sorted(expected.values(), reverse=True)


@pytest.mark.parametrize(
    ("pattern", "stacks"),
    [
        ("", ["main;load;parse", "main;work", "main;load"]),
        ("load", ["main;load;parse", "main;load"]),
        ("^parse$", ["main;load;parse"]),
        ("LOAD", []),
        ("eve", ["main;work"]),
        ("user: eve|parse", ["main;load;parse", "main;work"]),
        (r"work\.py", ["main;work"]),
    ],
)
def test_a_search_finds_functions_files_and_labels(
    tmp_path: Path, pattern: str, stacks: list[str]
) -> None:
    text = "main;load;parse 9\nmain;work 5\nmain;load 2"
    traces = list_traces(read_labelled(tmp_path, text, [{}, {"user": "eve"}, {}]), CPU)
    found = np.flatnonzero(search_traces(traces, Query(pattern))).tolist()
    assert [describe(traces)[at][1] for at in found] == stacks


def test_what_is_no_pattern_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PatternError):
        search_traces(list_traces(read_stacks("a 1", tmp_path), CPU), Query("("))


def test_a_trace_has_one_identity_in_every_list(tmp_path: Path) -> None:
    """Another profile numbers its functions, its nodes and its sets of labels in another way."""
    labels = [{}, {"user": "eve"}, {}, {}, {}]
    first = read_labelled(tmp_path, "m;f 9\nm;f 7\nf;m 5\nm;f;f 4\nm 2", labels)
    labels = [{}, {"route": "/a"}, {}, {}, {"user": "eve"}]
    other = read_labelled(tmp_path, "x;m 9\nm;f 8\nm 7\nm;f 6\nm;f 3", labels)

    def identify(profile: Profile) -> dict[tuple[str, str], int]:
        traces = list_traces(profile, CPU)
        names = [(stack, labels) for _, stack, labels in describe(traces)]
        return dict(zip(names, identify_traces(traces).tolist(), strict=True))

    before, after = identify(first), identify(other)
    assert len(set(before.values()) | set(after.values())) == len(before.keys() | after.keys()) == 7
    shared = before.keys() & after.keys()
    assert shared == {("m;f", ""), ("m;f", "user: eve"), ("m", "")}
    assert all(before[each] == after[each] for each in shared)


def test_a_path_leads_back_to_its_node(tmp_path: Path) -> None:
    profile = read_stacks("a;b;a;b 1\na;c;b 2\na;b;c 3", tmp_path)
    traces, tree = list_traces(profile, CPU), build_call_tree(profile)
    for at in range(traces.n_traces):
        assert find_path(tree, traces.name_stack(at)[::-1]) == traces.node[at]
    assert find_path(tree, ["b"]) == find_path(tree, ["a", "c", "x"]) == -1
