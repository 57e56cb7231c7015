"""The Firefox Profiler's JSON, as our reader has it, and in the shape that its schema asks for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
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
