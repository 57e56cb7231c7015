"""Profiles of a trace: at a moment, at the peak, of a span, of what leaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.reader_check import check_profile
from harness.traced_memory import read_trace
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import (
    profile_leaks,
    profile_live,
    profile_peak,
    profile_span,
)
from stackglass_viewer.model.profile.profile import Profile

TEXT = """
    0 object 0x100 1000 type=builtins.module
    0 object 0x900 7
    10 alloc 0x1000 64 at=main;load type=builtins.dict
    20 alloc 0x2000 100 at=main;load
    30 alloc 0x3000 32 at=main;work
    40 free 0x2000
    50 alloc 0x4000 16
    60 free 0x3000
"""
ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE = map(TypeId, range(4))


@pytest.fixture
def trace(tmp_path: Path) -> MemoryTrace:
    return MemoryTrace(read_trace(TEXT), "text", folder=tmp_path)


def sum_stacks(profile: Profile, sample_type: TypeId) -> dict[str, int]:
    """Values by stack, root first."""
    check_profile(profile)
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, sample_type)
    sums: dict[str, int] = {}
    for node in range(1, len(tree.parent)):
        if values.own[node]:
            names, at = [], node
            while at:
                names.append(tree.frame_name[tree.frame[at]])
                at = int(tree.parent[at])
            sums[";".join(reversed(names))] = int(values.own[node])
    return sums


def test_the_peak_has_the_stack_of_every_byte(trace: MemoryTrace) -> None:
    profile = profile_peak(trace)
    assert trace.index.peak_bytes == 1203
    assert sum_stacks(profile, INUSE_SPACE) == {
        "<before attach>;builtins.module": 1000,
        "<before attach>": 7,
        "main;load": 164,
        "main;work": 32,
    }
    assert profile.sample_types[profile.default_type].name == "inuse_space"
    assert profile.comments[0].startswith("peak: live at 30 ns of")


def test_allocations_are_those_until_the_moment(trace: MemoryTrace) -> None:
    profile = profile_live(trace, trace.find_moment(45))
    assert sum_stacks(profile, ALLOC_SPACE) == {"main;load": 164, "main;work": 32}
    assert sum_stacks(profile, ALLOC_OBJECTS) == {"main;load": 2, "main;work": 1}
    assert sum_stacks(profile, INUSE_OBJECTS)["main;load"] == 1


def test_a_span_has_its_allocations_and_what_of_them_lives_at_its_end(trace: MemoryTrace) -> None:
    profile = profile_span(trace, trace.find_moment(15), trace.find_moment(45))
    assert sum_stacks(profile, ALLOC_SPACE) == {"main;load": 100, "main;work": 32}
    assert sum_stacks(profile, INUSE_SPACE) == {"main;work": 32}
    assert profile.sample_types[profile.default_type].name == "alloc_space"
    assert profile.duration_ns == 30


def test_a_span_of_addresses_has_only_what_reaches_into_them(trace: MemoryTrace) -> None:
    whole = (Moment(0, 0), trace.index.end)
    profile = profile_span(trace, *whole, addresses=(0x1010, 0x2001))
    assert sum_stacks(profile, ALLOC_SPACE) == {"main;load": 164}
    assert sum_stacks(profile, INUSE_SPACE) == {"main;load": 64}


def test_leaks_were_allocated_in_the_span_and_live_at_the_end(trace: MemoryTrace) -> None:
    begin = Moment(0, 0)
    profile = profile_leaks(trace, begin, trace.index.end)
    assert sum_stacks(profile, INUSE_SPACE) == {"main;load": 64, "<unknown>": 16}
    profile = profile_leaks(trace, begin, trace.find_moment(45))
    assert sum_stacks(profile, INUSE_SPACE) == {"main;load": 64}
    assert profile.samples.values[ALLOC_SPACE].tolist() == [64] * 1 + [0] * 1


def test_types_are_labels(trace: MemoryTrace) -> None:
    profile = profile_peak(trace)
    strings = profile.strings
    labels = {strings[key] for key in profile.labels.key.tolist()}
    assert labels == {"type"}
    assert [strings[text] for text in profile.labels.text.tolist()] == ["builtins.dict"]
