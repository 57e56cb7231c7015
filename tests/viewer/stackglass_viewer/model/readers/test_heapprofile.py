"""Sampled heaps of V8: sizes of stacks, places, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.heapprofile import read_heapprofile
from stackglass_viewer.model.readers.opener import open_content


def node(name: str, size: float, *children: dict[str, Any]) -> dict[str, Any]:
    frame = {"functionName": name, "url": "file:///app/a.js", "lineNumber": 6}
    return {"callFrame": frame, "selfSize": size, "id": 1, "children": list(children)}


HEAP = {"head": node("(root)", 0, node("main", 100, node("", 30)), node("load", 7))}


def test_each_node_has_its_bytes() -> None:
    profile = read_heapprofile(json.dumps(HEAP).encode())
    assert sorted(list_stacks(profile)) == [
        (["(anonymous)", "main"], [30]),
        (["load"], [7]),
        (["main"], [100]),
    ]
    assert [(each.name, each.unit) for each in profile.sample_types] == [("inuse_space", "bytes")]
    assert set(profile.locations.line_number.tolist()) == {7}


def test_what_the_root_holds_has_no_frame_and_places_are_of_one_frame_each() -> None:
    inner = node("(root)", 3, node("load", 2.5))
    inner["callFrame"]["lineNumber"] = -1
    other = node("load", 4)
    other["callFrame"]["lineNumber"] = 8
    heap = {"head": node("(root)", 1, node("main", 0, inner), other)}
    profile = read_heapprofile(json.dumps(heap).encode())
    assert sorted(list_stacks(profile)) == [
        ([], [1]),
        (["load"], [4]),
        (["load", "main"], [2]),
        (["main"], [3]),
    ]
    assert sorted(profile.locations.line_number.tolist()) == [7, 7, 9]


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(json.dumps(HEAP).encode(), "x"), Profile)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b'{"head": 5}',
        json.dumps({"head": node("main", 1, {})}).encode(),
        json.dumps({"head": node("main", float("inf"))}).encode(),
        json.dumps({"head": node("main", float("nan"))}).encode(),
        json.dumps({"head": node("main", 2.0**63)}).encode(),
        b'{"head": ' * 5000,
    ],
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is a heap profile of V8, but is damaged \(.*\)$"):
        read_heapprofile(content)
