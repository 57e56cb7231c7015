"""Austin's MOJO: versions, repeated stacks, reports of tasks, and what is damaged."""

from __future__ import annotations

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.mojo import read_mojo
from stackglass_viewer.model.readers.opener import open_content


def number(value: int) -> bytes:
    encoded, rest = bytearray([abs(value) & 0x3F | (0x40 if value < 0 else 0)]), abs(value) >> 6
    while rest:
        encoded[-1] |= 0x80
        encoded.append(rest & 0x7F)
        rest >>= 7
    return bytes(encoded)


def text(value: str) -> bytes:
    return value.encode() + b"\0"


def event(kind: int, *parts: int | str) -> bytes:
    encoded = [text(part) if isinstance(part, str) else number(part) for part in parts]
    return bytes([kind]) + b"".join(encoded)


HEAD = b"MOJ" + number(3) + event(1, "austin", "4.0.0") + event(1, "mode", "wall")
STACK = event(2, 4711, 0, "9f")
NAMES = b"".join(
    event(11, key, name)
    for key, name in ((2, "a.py"), (300, "main"), (4, "work"), (5, "/lib/x.so"), (6, "memcpy"))
)
FRAMES = event(3, 10, 2, 300, 12, 13, 1, 2) + event(3, 11, 2, 4, 70, 0, 0, 0)
FRAMES += event(3, 12, 5, 6, 0, 0, 0, 0)
FIRST = HEAD + STACK + NAMES + FRAMES + event(5, 10) + event(5, 11) + event(9, 520)


def test_samples_with_their_frames() -> None:
    profile = read_mojo(FIRST + STACK + event(5, 10) + event(9, 30) + event(7))
    assert list_stacks(profile) == [
        (["work", "main"], [1, 520_000]),
        (["<gc>", "main"], [1, 30_000]),
    ]
    assert sorted(profile.locations.line_number.tolist()) == [0, 0, 12, 70]
    assert [profile.strings[each] for each in profile.labels.text] == ["4711", "0:9f"] * 2
    assert profile.comments == ("austin: 4.0.0",)


def test_a_repeated_stack_lies_below_without_its_native_leaves() -> None:
    native = STACK + event(5, 10) + event(5, 12) + event(9, 1)
    repeated = STACK + event(5, 11) + event(13) + event(9, 2)
    elsewhere = event(2, 4711, 0, "aa") + event(13) + event(9, 4)
    assert list_stacks(read_mojo(FIRST + native + repeated + elsewhere)) == [
        (["work", "main"], [2, 522_000]),
        (["memcpy", "main"], [1, 1_000]),
        ([], [1, 4_000]),
    ]


def test_names_before_the_first_sample_are_of_its_process() -> None:
    """austinp 3 writes them so."""
    early = HEAD + NAMES + FRAMES + STACK + event(5, 10) + event(5, 11) + event(9, 520)
    assert list_stacks(read_mojo(early)) == list_stacks(read_mojo(FIRST))
    other = event(2, 9, 0, "aa") + event(5, 10)
    with pytest.raises(ContentError, match="an entry that it does not define"):
        read_mojo(early + other)


def test_reports_of_tasks_are_no_frames() -> None:
    tasks = event(15, 1, 2) + event(16, 1) + event(14, 1, 4, 2) + event(5, 10) + event(5, 11)
    assert list_stacks(read_mojo(FIRST + tasks)) == list_stacks(read_mojo(FIRST))


def test_older_versions() -> None:
    first = b"MOJ\x01" + event(2, 7, "t") + event(11, 2, "a.py") + event(3, 3, 2, 1, 5)
    profile = read_mojo(first + event(5, 3) + event(4) + event(6, "do_work") + event(9, 1))
    assert list_stacks(profile) == [(["do_work", "<invalid>", "<unknown>"], [1, 1_000])]


def test_full_mode() -> None:
    head = FIRST.replace(text("wall"), text("full"))
    rest = event(10, -50) + STACK + event(5, 10) + event(9, 70) + event(8) + event(10, 5)
    profile = read_mojo(head + rest)
    assert [each.name for each in profile.sample_types] == ["samples", "memory", "cpu", "wall"]
    assert list_stacks(profile) == [
        (["work", "main"], [1, -50, 520_000, 520_000]),
        (["main"], [1, 5, 0, 70_000]),
    ]


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(FIRST, "x"), Profile)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (FIRST[:-1], "truncated: it ends within an event"),
        (b"MOJ", "truncated: it ends within an event"),
        (HEAD + event(1, "a")[:-1], "truncated: it ends within an event"),
        (FIRST + b"\x63", f"is damaged at byte {len(FIRST)} (unknown event 99)"),
        (FIRST + event(5, 99), f"is damaged at byte {len(FIRST)} (it refers to an entry"),
        (HEAD + event(4), "a frame outside a sample"),
        (HEAD + event(13), "a frame outside a sample"),
        (HEAD + STACK + event(3, 1, 77, 78, 1, 1, 1, 1), "is damaged at byte"),
        (b"MOJ\x09", "unknown version 9"),
        (FIRST.replace(text("wall"), text("new")), "unknown mode 'new'"),
        (FIRST + b"\x09" + b"\xff" * 12, "a number of more than 64 bits"),
        (FIRST + event(5, 10) * 5000, "a stack of more than 4096 frames"),
    ],
    ids=range(12),
)
def test_what_is_damaged_is_one_line(content: bytes, message: str) -> None:
    with pytest.raises(ContentError) as caught:
        read_mojo(content)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
