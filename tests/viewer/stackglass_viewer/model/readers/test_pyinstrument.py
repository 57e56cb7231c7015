"""pyinstrument's JSON: sessions, trees of its renderer, threads, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.pyinstrument import read_pyinstrument

HEAD = {"start_time": 1.5, "duration": 0.25, "sample_count": 3, "target_description": "Program: w"}
THREAD = "MainThread\0<thread>\x00139"
MAIN = "main\0app.py\x001\x01l9"
WORK = "work\0app.py\x0020\x01cJob\x01l21"


def encode(**more: Any) -> bytes:
    return json.dumps({**HEAD, **more}).encode()


SESSION = encode(
    frame_records=[
        [[THREAD, MAIN, WORK], 0.001],
        [[THREAD, MAIN, "sleep\0<built-in>\x000"], 0.002],
        [[MAIN], 0.004],
    ]
)


def test_records_of_a_session() -> None:
    profile = read_pyinstrument(SESSION)
    assert list_stacks(profile) == [
        (["Job.work", "main"], [1, 1_000_000]),
        (["sleep", "main"], [1, 2_000_000]),
        (["main"], [1, 4_000_000]),
    ]
    assert profile.locations.line_number.tolist() == [21, 9, 0]
    assert profile.labels.sample.tolist() == [0, 1]
    assert [profile.strings[text] for text in profile.labels.text] == ["MainThread"] * 2
    assert (profile.time_unix_ns, profile.duration_ns) == (1_500_000_000, 250_000_000)
    assert profile.comments == ("Program: w",)


def tree(name: str, seconds: float, *children: dict[str, Any]) -> dict[str, Any]:
    place = {"file_path": "app.py", "line_no": 7}
    return {"function": name, "time": seconds, **place, "children": list(children)}


TREE = encode(root_frame=tree("main", 1, tree("work", 0.5, tree("[self]", 0.25)), tree("x", 0.2)))


def test_trees_have_what_their_children_leave() -> None:
    profile = read_pyinstrument(TREE)
    assert sorted(list_stacks(profile)) == [
        (["main"], [300_000_000]),
        (["work", "main"], [250_000_000]),
        (["work", "main"], [250_000_000]),
        (["x", "main"], [200_000_000]),
    ]
    assert [each.name for each in profile.sample_types] == ["time"]


@pytest.mark.parametrize("content", [SESSION, TREE], ids=["session", "tree"])
def test_both_open_by_content(content: bytes) -> None:
    assert isinstance(open_content(content, "x"), Profile)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        encode(),
        encode(frame_records=5),
        encode(frame_records=[[[MAIN]]]),
        encode(frame_records=[[["f\0a.py\x00x"], 1]]),
        encode(frame_records=[[[5], 1]]),
        encode(root_frame=tree("main", "1")),  # type: ignore[arg-type]
        encode(root_frame={"function": "f"}),
        encode(frame_records=[], duration=None),
    ],
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is pyinstrument's JSON, but is damaged \(.*\)$"):
        read_pyinstrument(content)
