"""CPU profiles of V8: times between samples, both ways to write the tree, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.cpuprofile import read_cpuprofile


def node(number: int, name: str, *children: int, **more: Any) -> dict[str, Any]:
    frame = {"functionName": name, "url": "file:///app/a%20b.js", "lineNumber": 10 * number - 1}
    return {"id": number, "callFrame": frame, "children": list(children), **more}


NODES = [node(1, "(root)", 2, 4), node(2, "main", 3), node(3, ""), node(4, "(idle)")]


def make(**changes: Any) -> bytes:
    document = {"nodes": NODES, "startTime": 1000, "endTime": 1500}
    timed = {"samples": [2, 3, 3, 4], "timeDeltas": [10, 90, 100, 150]}
    return json.dumps({**document, **timed, **changes}).encode()


def test_a_sample_lasts_until_the_next() -> None:
    profile = read_cpuprofile(make())
    assert list_stacks(profile) == [
        (["main"], [1, 90_000]),
        (["(anonymous)", "main"], [2, 250_000]),
        (["(idle)"], [1, 150_000]),
    ]
    assert [each.name for each in profile.sample_types] == ["samples", "time"]
    assert profile.duration_ns == 500_000
    assert profile.locations.line_number.tolist() == [20, 30, 40]
    assert profile.strings[profile.functions.filename[0]] == "/app/a b.js"


def test_times_are_sorted() -> None:
    profile = read_cpuprofile(make(samples=[2, 3, 4], timeDeltas=[100, 200, -150]))
    assert list_stacks(profile) == [
        (["main"], [1, 50_000]),
        (["(idle)"], [1, 150_000]),
        (["(anonymous)", "main"], [1, 200_000]),
    ]


def test_nodes_may_name_their_parents() -> None:
    nodes = [{**each, "children": None} for each in NODES]
    for number, parent in ((2, 1), (3, 2), (4, 1)):
        nodes[number - 1]["parent"] = parent
    assert list_stacks(read_cpuprofile(make(nodes=nodes))) == list_stacks(read_cpuprofile(make()))


def test_without_samples_the_hits_share_the_time() -> None:
    nodes = [node(1, "(root)", 2), node(2, "main", 3, hitCount=1), node(3, "work", hitCount=4)]
    content = json.dumps({"nodes": nodes, "startTime": 0, "endTime": 1000}).encode()
    assert list_stacks(read_cpuprofile(content)) == [
        (["main"], [1, 200_000]),
        (["work", "main"], [4, 800_000]),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b'{"nodes": 5}',
        make(nodes=[{"id": 1}]),
        make(samples=[9, 9, 9, 9]),
        make(samples=[2]),
        make(timeDeltas=["1", 2, 3, 4]),
        make(endTime=None),
        make(nodes=[node(1, "a", 2), node(2, "b", 1), node(3, "c"), node(4, "d")]),
    ],
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is a CPU profile of V8, but is damaged \(.*\)$"):
        read_cpuprofile(content)
