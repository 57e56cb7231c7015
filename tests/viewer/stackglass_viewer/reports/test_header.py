"""Lines above a report."""

from __future__ import annotations

import marshal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Mappings, Profile, SampleType
from stackglass_viewer.model.readers.cprofile import read_pstats
from stackglass_viewer.reports.header import write_header, write_other_types

CPU = TypeId(1)


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return replace(read_stacks("main 5", tmp_path), duration_ns=0)


def add_mapping(profile: Profile, file: str, build: str) -> Profile:
    strings = (*profile.strings, file, build)
    first = np.array([len(strings) - 2], dtype=np.int32)
    nowhere = np.zeros(1, dtype=np.uint64)
    mappings = Mappings(
        filename=first,
        build_id=first + 1,
        start=nowhere,
        limit=nowhere,
        offset=nowhere,
        flags=np.zeros(1, dtype=np.int32),
    )
    return replace(profile, strings=strings, mappings=mappings)


def list_lines(profile: Profile, name: str = "cpu.pb") -> list[str]:
    return list(write_header(profile, name, CPU, "5 ns"))


def test_what_is_unknown_has_no_line(profile: Profile) -> None:
    assert list_lines(profile) == ["File: cpu.pb", "Type: cpu   Total: 5 ns"]


def test_every_line_in_its_order(profile: Profile) -> None:
    whole = replace(
        profile, time_unix_ns=86_400 * 10**9, duration_ns=1_500_000_000, comments=("one", "two")
    )
    assert list_lines(add_mapping(whole, "/usr/bin/app", "beef")) == [
        "File: cpu.pb",
        "Program: app, build beef",
        "Time: 1970-01-02 00:00:00 UTC",
        "Duration: 1.50 s",
        "Comment: one",
        "Comment: two",
        "Type: cpu   Total: 5 ns",
    ]


def test_a_compact_header_has_the_type_and_the_total(profile: Profile) -> None:
    whole = replace(profile, time_unix_ns=10**9, duration_ns=10**9, comments=("one",))
    lines = write_header(add_mapping(whole, "/bin/app", "beef"), "cpu.pb", CPU, "5 ns", True)
    assert list(lines) == ["Type: cpu   Total: 5 ns"]


@pytest.mark.parametrize(
    ("file", "build", "lines"),
    [("/opt/app", "", ["Program: app"]), ("", "beef", [])],
    ids=["no build", "no file"],
)
def test_the_program_is_the_first_mapping(
    profile: Profile, file: str, build: str, lines: list[str]
) -> None:
    assert list_lines(add_mapping(profile, file, build))[1:-1] == lines


@pytest.mark.parametrize(
    ("time_unix_ns", "lines"),
    [
        (253_402_300_799 * 10**9, ["Time: 9999-12-31 23:59:59 UTC"]),
        (253_402_300_800 * 10**9, []),
        (-1, []),
    ],
    ids=["the last", "after it", "before all"],
)
def test_times_that_no_calendar_has_are_left_out(
    profile: Profile, time_unix_ns: int, lines: list[str]
) -> None:
    assert list_lines(replace(profile, time_unix_ns=time_unix_ns))[1:-1] == lines


def test_texts_of_a_file_cannot_move_the_cursor(profile: Profile) -> None:
    hostile = replace(add_mapping(profile, "/bin/a\nb", "\x1b[2J"), comments=("one\r",))
    lines = list_lines(hostile, "x\x1b[31m.pb")
    assert lines[:3] == [
        "File: x\ufffd[31m.pb",
        "Program: a\ufffdb, build \ufffd[2J",
        "Comment: one\ufffd",
    ]


def test_a_table_of_cprofile_has_a_file_and_a_type() -> None:
    table = read_pstats(marshal.dumps({("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})}), lambda: False)
    lines = list(write_header(table, "run.prof", table.default_type, "500 ms"))
    assert lines == ["File: run.prof", "Type: time   Total: 500 ms"]


def test_a_default_type_without_samples_is_named_with_the_others(profile: Profile) -> None:
    assert list(write_other_types(profile, profile.default_type)) == []
    values = profile.samples.values.copy()
    values[profile.default_type] = 0
    empty = replace(profile, samples=replace(profile.samples, values=values))
    (line,) = write_other_types(empty, TypeId(0))
    assert line == "The default type, cpu, has no samples."
    three = replace(
        empty,
        sample_types=(*profile.sample_types, SampleType("wall", "nanoseconds")),
        samples=replace(profile.samples, values=np.array([[1], [0], [5]])),
    )
    (line,) = write_other_types(three, TypeId(0))
    assert line == "The default type, cpu, has no samples. Others, for --sample-index: wall"
