"""speedscope's JSON: threads of their own, frames when they were there, as our reader has it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile, SampleTimes
from stackglass_viewer.model.readers import caller_paths
from stackglass_viewer.model.readers.caller_paths import DEEPEST
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers import speedscope
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.speedscope import write_speedscope

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
Rows = list[tuple[int, int, int, int]]


def open_stacks(content: bytes) -> Profile:
    profile = open_content(content, "out")
    assert isinstance(profile, Profile)
    return profile


def time_samples(profile: Profile, rows: Rows) -> Profile:
    """With rows of sample, begin, end and value of the second type, by time."""
    sample, begin, end, value = np.array(rows, dtype=np.int64).T
    times = SampleTimes(
        sample.astype(np.int32), begin, end, (np.ones(len(rows), np.int64), value), int(end.max())
    )
    return replace(profile, times=times)


def make_profile(
    text: str, rows: Rows, labels: list[dict[str, str]] | None = None, unit: str = "nanoseconds"
) -> Profile:
    content = encode_stacks(text, unit)
    return time_samples(open_stacks(encode_labels(content, labels) if labels else content), rows)


def write(profile: Profile, *types: int) -> bytes:
    return write_speedscope(profile, "shop.pb", [TypeId(each) for each in types or (1,)], "1.0")


def list_profiles(profile: Profile, *types: int) -> list[dict[str, Any]]:
    profiles: list[dict[str, Any]] = json.loads(write(profile, *types))["profiles"]
    return profiles


def list_lines(profile: Profile, number: int) -> list[bytes]:
    return sorted(write_collapsed(profile, TypeId(number)).splitlines())


def list_rows(profile: Profile) -> list[tuple[int, int]]:
    assert profile.times is not None
    times = profile.times
    return list(zip(times.begin_ns.tolist(), times.end_ns.tolist(), strict=True))


def test_types_of_one_unit_stay_apart() -> None:
    heap = open_stacks((CORPUS / "go.http.heap.gc.pb.gz").read_bytes())
    opened = open_stacks(write(heap, 3, 0, 1, 2))
    assert [(each.name, each.unit) for each in opened.sample_types] == [
        ("inuse_space", "bytes"),
        *(("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count")),
    ]
    assert opened.default_type == 0
    sums = heap.samples.values.sum(axis=1)[[3, 0, 1, 2]]
    assert opened.samples.values.sum(axis=1).tolist() == sums.tolist()


def test_types_of_one_name_and_unit_stay_apart() -> None:
    profile = open_stacks(encode_stacks("main;load 30\nmain;save 9"))
    twice = replace(profile, sample_types=(profile.sample_types[1],) * 2)
    again = open_stacks(write(twice, 0, 1))
    assert [each.name for each in again.sample_types] == ["cpu", "cpu (2)"]
    assert again.samples.values.sum(axis=1).tolist() == [2, 39]


def test_without_times_a_type_is_one_profile_of_all_threads() -> None:
    labels = [{"thread": "a"}, {"thread": "b"}]
    (only,) = list_profiles(open_stacks(encode_labels(encode_stacks("main 4\nmain;f 5"), labels)))
    assert (only["type"], only["name"], only["weights"]) == ("sampled", "cpu", [4, 5])


def test_frames_are_open_when_they_were_there() -> None:
    rows = [(0, 0, 5, 5), (1, 5, 95, 90), (0, 300, 307, 7)]
    profile = make_profile("main;load 12\nmain;save 90", rows)
    (only,) = list_profiles(profile)
    names = [frame["name"] for frame in json.loads(write(profile))["shared"]["frames"]]
    found = [(each["type"], names[each["frame"]], each["at"]) for each in only["events"]]
    assert found == [
        *(("O", "main", 0), ("O", "load", 0), ("C", "load", 5)),
        *(("O", "save", 5), ("C", "save", 95), ("C", "main", 95)),
        *(("O", "main", 300), ("O", "load", 300), ("C", "load", 307), ("C", "main", 307)),
    ]
    assert (only["unit"], only["startValue"], only["endValue"]) == ("nanoseconds", 0, 307)
    again = open_stacks(write(profile))
    assert list_lines(again, 0) == list_lines(profile, 1)
    assert list_rows(again) == list_rows(profile)


def test_times_are_nanoseconds_whatever_the_unit() -> None:
    profile = make_profile("main 3", [(0, 0, 2_000_000, 2), (0, 9_000_000, 10_000_000, 1)])
    kinds = (profile.sample_types[0], replace(profile.sample_types[1], unit="milliseconds"))
    again = open_stacks(write(replace(profile, sample_types=kinds)))
    assert list_rows(again) == list_rows(profile)
    assert list_lines(again, 0) == [b"# collapsed stacks", b"main 3000000"]


def test_each_thread_is_a_profile_on_the_same_axis() -> None:
    labels = [{"thread": "a"}, {"thread": "b"}]
    rows = [(1, 0, 2, 2), (0, 1, 6, 5), (1, 3, 7, 4)]
    profile = make_profile("main;load 5\nmain;save 6", rows, labels)
    assert [(each["name"], each["endValue"]) for each in list_profiles(profile)] == [
        ("a", 7),
        ("b", 7),
    ]
    again = open_stacks(write(profile))
    assert list_lines(again, 0) == list_lines(profile, 1)
    assert list_rows(again) == list_rows(profile)


def test_of_several_types_a_profile_says_which_it_is() -> None:
    labels = [{"thread": "a"}, {"thread": "b"}]
    profile = make_profile("main;load 5\nmain;save 6", [(1, 0, 6, 6), (0, 1, 6, 5)], labels)
    names = [each["name"] for each in list_profiles(profile, 1, 0)]
    assert names == ["cpu, a", "cpu, b", "samples, a", "samples, b"]


def test_what_speedscope_wrote_has_the_same_threads() -> None:
    labels = [{"profile": "a"}, {"profile": "b"}]
    rows = [(0, 0, 5, 5), (1, 1, 7, 6)]
    first = open_stacks(write(make_profile("main 5\nwork 6", rows, labels)))
    names = [each["name"] for each in list_profiles(first, 0)]
    assert names == ["a", "b"]
    assert list_rows(open_stacks(write(first, 0))) == list_rows(first)


def test_moments_are_as_long_as_their_values_and_do_not_overlap() -> None:
    rows = [(0, 0, 0, 10), (1, 9, 9, 10), (0, 50, 50, 10)]
    (only,) = list_profiles(make_profile("main;load 20\nmain;save 10", rows))
    assert [each["at"] for each in only["events"]] == [0, 0, 10, 10, 20, 20, 50, 50, 60, 60]


def test_a_gap_of_rounding_is_none() -> None:
    rows = [(0, 0, 11, 10), (1, 11, 20, 10)]
    (only,) = list_profiles(make_profile("main;load 10\nmain;save 10", rows))
    assert [each["at"] for each in only["events"]] == [0, 0, 11, 11, 20, 20]


def test_stacks_that_overlap_are_samples_in_the_order_of_time() -> None:
    rows = [(1, 0, 90, 90), (0, 10, 15, 5), (1, 90, 91, 1), (0, 95, 102, 7)]
    profile = make_profile("main;load 12\nmain;save 91", rows)
    (only,) = list_profiles(profile)
    assert (only["type"], only["weights"]) == ("sampled", [90, 5, 1, 7])
    assert list_lines(open_stacks(write(profile)), 0) == list_lines(profile, 1)


def test_what_is_no_time_is_in_its_order() -> None:
    rows = [(1, 0, 2, 4096), (0, 2, 5, 100), (1, 5, 6, 200)]
    (only,) = list_profiles(make_profile("main;load 100\nmain;save 4296", rows, unit="bytes"))
    assert (only["type"], only["unit"], only["weights"]) == ("sampled", "bytes", [4096, 100, 200])


def test_values_of_unknown_times_stand_behind_the_last_moment() -> None:
    profile = make_profile("main;load 12\nmain;save 90", [(0, 8, 13, 5)])
    (only,) = list_profiles(profile)
    assert only["endValue"] == 13 + 7 + 90
    again = open_stacks(write(profile))
    assert list_lines(again, 0) == list_lines(profile, 1)
    assert list_rows(again) == [(0, 12), (12, 102)]


def test_time_without_a_stack_has_a_frame() -> None:
    profile = make_profile("main 4\nmain;load 5", [(0, 0, 4, 4), (1, 4, 9, 5)])
    start = profile.samples.stack_start.copy()
    start[1] = 0  # the first stack is empty, and the second has its frame more
    again = open_stacks(
        write(replace(profile, samples=replace(profile.samples, stack_start=start)))
    )
    assert b"<no stack> 4" in list_lines(again, 0)


def test_stacks_too_deep_to_open_frame_by_frame_are_samples() -> None:
    deep = ";".join(f"f{number % 100}" for number in range(DEEPEST + 1))
    profile = make_profile(f"{deep} 4", [(0, 0, 4, 4)])
    assert [each["type"] for each in list_profiles(profile)] == ["sampled"]
    assert list_lines(open_stacks(write(profile)), 0) == list_lines(profile, 1)


@pytest.mark.parametrize(("n_stacks", "kind"), [(66, "evented"), (67, "sampled")])
def test_stacks_too_many_and_too_deep_to_open_frame_by_frame_are_samples(
    n_stacks: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is as tight as the reader's."""
    for module in (caller_paths, speedscope):
        monkeypatch.setattr(module, "FREE_FRAMES", 100)
    frames = [f"f{number}" for number in range(n_stacks)]
    text = "\n".join(f"{';'.join(frames[: depth + 1])} 4" for depth in range(n_stacks))
    rows = [(stack, 4 * stack, 4 * stack + 4, 4) for stack in range(n_stacks)]
    profile = make_profile(text, rows)
    assert [each["type"] for each in list_profiles(profile)] == [kind]
    again = open_stacks(write(profile))
    assert list_lines(again, 0) == list_lines(profile, 1)
    assert list_rows(again) == list_rows(profile)


def test_stacks_that_differ_only_in_labels_are_counted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (caller_paths, speedscope):
        monkeypatch.setattr(module, "FREE_FRAMES", 100)
    deep = ";".join(f"f{number}" for number in range(99))
    labels = [{"request": "a"}, {"request": "b"}]
    profile = make_profile(f"{deep} 4\n{deep} 5", [(0, 0, 4, 4), (1, 4, 9, 5)], labels)
    assert [each["type"] for each in list_profiles(profile)] == ["evented"]


def test_a_file_without_samples_has_a_profile() -> None:
    (only,) = list_profiles(open_stacks(encode_stacks("")))
    assert (only["type"], only["samples"], only["endValue"]) == ("sampled", [], 0)


def test_times_of_other_values_are_left_out() -> None:
    profile = make_profile("main;load 3\nmain;save 9", [(0, 0, 5, 5), (1, 5, 9, 4)])
    (only,) = list_profiles(profile)
    assert (only["type"], only["weights"]) == ("sampled", [3, 9])
