"""Stretches: threads by size, times that do not overlap."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.stretches import Stretches, cut_lane, narrow_kinds

Row = tuple[str, str, float, float]


def list_rows(stretches: Stretches) -> list[Row]:
    tree = stretches.tree
    rows: list[Row] = []
    for lane, each in enumerate(stretches.lanes):
        for at in range(*stretches.slice_lane(lane).indices(len(stretches.node))):
            name = tree.frame_name[tree.frame[stretches.node[at]]]
            rows.append((each.name, name, stretches.begin_ns[at] / MS, stretches.end_ns[at] / MS))
    return rows


def test_threads_with_most_come_first() -> None:
    stretches = make_stretches("a f 0 1\nb g 5 25\na h 2 4")
    assert list_rows(stretches) == [("b", "g", 5, 25), ("a", "f", 0, 1), ("a", "h", 2, 4)]
    assert (stretches.first_ns, stretches.last_ns) == (0, 25 * MS)


def test_what_begins_ends_what_was_there_before() -> None:
    assert list_rows(make_stretches("a f 0 10\na g 4 6")) == [("a", "f", 0, 4), ("a", "g", 4, 6)]


def test_a_sample_lasts_until_the_next_unless_there_is_a_pause() -> None:
    stretches = make_stretches("a f 0\na g 10\na h 20\na f 300\na g 310")
    assert list_rows(stretches) == [
        ("a", "f", 0, 10),
        ("a", "g", 10, 20),
        ("a", "h", 20, 35),
        ("a", "f", 300, 310),
        ("a", "g", 310, 320),
    ]
    assert stretches.last_ns == 320 * MS


def test_of_two_samples_at_once_one_is_shown() -> None:
    assert list_rows(make_stretches("a f 0\na g 0\na h 10")) == [
        ("a", "g", 0, 10),
        ("a", "h", 10, 20),
    ]


def test_a_lane_is_cut_at_both_ends() -> None:
    stretches = make_stretches("a f 0 10\na g 10 20\na h 30 40")
    node, begin, end = cut_lane(stretches, 0, 5 * MS, 32 * MS)
    assert len(node) == 3
    assert (begin // MS).tolist() == [5, 10, 30]
    assert (end // MS).tolist() == [10, 20, 32]
    assert len(cut_lane(stretches, 0, 21 * MS, 29 * MS)[0]) == 0
    assert len(cut_lane(stretches, 0, 10 * MS, 20 * MS)[0]) == 1


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from("fgh"), st.integers(0, 50), st.integers(0, 9)
        ),
        min_size=1,
        max_size=40,
    )
)
@settings(max_examples=150, deadline=None)
def test_rows_of_a_lane_never_overlap(rows: list[tuple[str, str, int, int]]) -> None:
    text = "\n".join(f"{lane} {name} {at} {at + length}" for lane, name, at, length in rows)
    stretches = make_stretches(text)
    for lane in range(stretches.n_lanes):
        chosen = stretches.slice_lane(lane)
        begin, end = stretches.begin_ns[chosen], stretches.end_ns[chosen]
        assert (begin < end).all()
        assert (begin[1:] >= end[:-1]).all()
    assert stretches.lane_start[-1] == len(stretches.node) == len(stretches.kind)
    assert np.all(stretches.end_ns <= stretches.last_ns)


def test_a_stretch_of_minutes_has_its_length() -> None:
    """Lengths of less than four seconds take half as much room."""
    short, long = make_stretches("A f 0 4000\nA g 4000 4200"), make_stretches("A f 0 600000")
    assert (short.length_ns.itemsize, long.length_ns.itemsize) == (4, 8)
    assert short.end_ns.tolist() == [4000 * MS, 4200 * MS]
    assert long.end_ns.tolist() == [600_000 * MS]
    assert long.find_ends(long.slice_lane(0)).tolist() == [600_000 * MS]


def test_there_may_be_more_kinds_than_a_byte_counts() -> None:
    assert narrow_kinds(np.array([-1, 127], dtype=np.int32)).tolist() == [-1, 127]
    assert narrow_kinds(np.array([-1, 128], dtype=np.int32)).tolist() == [-1, 128]
