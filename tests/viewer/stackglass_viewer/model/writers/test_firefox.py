"""The Firefox Profiler's JSON, as our reader has it, and in the shape that its schema asks for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile, SampleTimes, SampleType
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.firefox import write_firefox

STACKS = "main;load;parse 300\nmain;save 90\nmain 10\nmain;load;parse 7"


def open_stacks(content: bytes) -> Profile:
    profile = open_content(content, "out")
    assert isinstance(profile, Profile)
    return profile


def write(profile: Profile, number: int = 1) -> bytes:
    return write_firefox(profile, "shop.pb", TypeId(number), "1.0")


def list_lines(profile: Profile, number: int) -> list[bytes]:
    return sorted(write_collapsed(profile, TypeId(number)).splitlines())


@pytest.mark.parametrize("unit", ["nanoseconds", "bytes", "count"])
def test_stacks_keep_their_values(unit: str) -> None:
    profile = open_stacks(encode_stacks(STACKS, unit))
    again = open_stacks(write(profile))
    assert list_lines(again, 0) == list_lines(profile, 1)
    unit_again = again.sample_types[0].unit
    assert unit_again == unit


def test_files_and_lines_are_kept() -> None:
    again = open_stacks(write(open_stacks(encode_stacks(STACKS))))
    files = {again.strings[name] for name in again.functions.filename}
    assert files == {"main.py", "load.py", "parse.py", "save.py"}
    assert set(again.locations.line_number.tolist()) == {1}


def test_threads_are_those_of_the_label() -> None:
    labels = [{"thread": "worker"}, {"thread": "main", "route": "/a"}, {}, {"thread": "worker"}]
    profile = open_stacks(encode_labels(encode_stacks(STACKS), labels))
    document = json.loads(write(profile))
    assert [each["name"] for each in document["threads"]] == ["worker", "main", "all"]
    assert [each["samples"]["length"] for each in document["threads"]] == [2, 1, 1]


def time_samples(profile: Profile, rows: list[tuple[int, int, int, int]]) -> Profile:
    """With rows of sample, begin, end and value of the second type, by time."""
    sample, begin, end, value = np.array(rows, dtype=np.int64).T
    times = SampleTimes(
        sample.astype(np.int32), begin, end, (np.ones(len(rows), np.int64), value), int(end.max())
    )
    return replace(profile, times=times)


def test_samples_stand_at_their_times() -> None:
    profile = open_stacks(encode_stacks("main;load 12000000\nmain;save 90000000"))
    rows = [(0, 0, 5_000_000, 5_000_000), (1, 20_000_000, 110_000_000, 90_000_000)]
    rows += [(0, 300_000_000, 307_000_000, 7_000_000)]
    again = open_stacks(write(time_samples(profile, rows)))
    assert list_lines(again, 0) == list_lines(profile, 1)
    assert again.times is not None
    assert again.times.begin_ns.tolist() == [0, 20_000_000, 300_000_000]
    assert again.times.end_ns.tolist() == [5_000_000, 110_000_000, 307_000_000]


def test_values_of_unknown_times_stand_behind_the_last_one() -> None:
    profile = open_stacks(encode_stacks("main;load 12000000\nmain;save 90000000"))
    written = write(time_samples(profile, [(0, 8_000_000, 13_000_000, 5_000_000)]))
    samples = json.loads(written)["threads"][0]["samples"]
    assert samples["time"] == [8.0, 13.0, 20.0]
    assert samples["weight"] == [5.0, 7.0, 90.0]
    assert list_lines(open_stacks(written), 0) == list_lines(profile, 1)


def test_each_thread_has_its_times() -> None:
    content = encode_labels(
        encode_stacks("main;load 5000000\nmain;save 6000000"), [{"thread": "a"}, {"thread": "b"}]
    )
    rows = [(1, 0, 2_000_000, 2_000_000), (0, 1_000_000, 6_000_000, 5_000_000)]
    rows += [(1, 3_000_000, 7_000_000, 4_000_000)]
    threads = json.loads(write(time_samples(open_stacks(content), rows)))["threads"]
    assert [(each["name"], each["samples"]["time"]) for each in threads] == [
        ("a", [1.0]),
        ("b", [0.0, 3.0]),
    ]


def test_the_interval_is_the_period_where_that_is_a_time() -> None:
    profile = open_stacks(encode_stacks(STACKS))
    timed = replace(profile, period_type=SampleType("cpu", "microseconds"), period=2500)
    sized = replace(profile, period_type=SampleType("space", "bytes"), period=2500)
    intervals = [json.loads(write(each))["meta"]["interval"] for each in (timed, sized, profile)]
    assert intervals == [2.5, 1, 1]


def test_a_profile_without_samples_has_a_thread_without_samples() -> None:
    threads = json.loads(write(open_stacks(encode_stacks(""))))["threads"]
    assert [(each["name"], each["samples"]["length"]) for each in threads] == [("all", 0)]


def test_tables_are_as_long_as_they_say() -> None:
    document = json.loads(write(open_stacks(encode_stacks(STACKS))))
    assert document["meta"]["preprocessedProfileVersion"] == 60
    tables: list[dict[str, Any]] = [
        *(each for each in document["shared"].values() if isinstance(each, dict)),
        document["threads"][0]["samples"],
        document["threads"][0]["markers"],
    ]
    for table in tables:
        columns = [column for column in table.values() if isinstance(column, list)]
        assert columns
        assert {len(column) for column in columns} == {table["length"]}
    prefix = document["shared"]["stackTable"]["prefix"]
    assert all(parent is None or parent < stack for stack, parent in enumerate(prefix))
    assert document["threads"][0]["samples"]["time"] == sorted(
        document["threads"][0]["samples"]["time"]
    )


def test_a_file_without_samples_has_its_type() -> None:
    again = open_stacks(write(open_stacks(encode_stacks("", "bytes"))))
    assert (again.n_samples, [each.unit for each in again.sample_types]) == (0, ["bytes"])


def test_deep_stacks_are_kept() -> None:
    deep = ";".join(f"f{number % 100}" for number in range(20_000))
    profile = open_stacks(encode_stacks(f"{deep} 5\nmain 6"))
    assert list_lines(open_stacks(write(profile)), 0) == list_lines(profile, 1)
