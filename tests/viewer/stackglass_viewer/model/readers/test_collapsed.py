"""Collapsed stacks: callers, places in names, differences, and what is not one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.collapsed import read_collapsed
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.recognition import recognise
from stackglass_viewer.model.readers.sample_columns import parse_symbol
from stackglass_viewer.model.readers.text_rows import list_lines

CORPUS = Path(__file__).parents[4] / "corpus"
VALUE = rb"\s+(-?\d{1,20}(?:\.\d{1,20})?)"
LINES = {n: re.compile(rb"(.*)" + VALUE * n + rb"\s*") for n in (1, 2)}
# What lines are made of: everything that decides how one is read, and whatever else there is.
PARTS = st.one_of(
    st.sampled_from(
        [
            *(
                b"a",
                b"work",
                b"f (x.py:3)",
                b"g (y)",
                b";",
                b" ",
                b"\t",
                b"\r",
                b"\x0b",
                b"\0",
                b"#",
            ),
            *(b"5", b" 7", b" 7", b" -2", b" 12 9", b" 1.5", b" 2.5", b" -0.5", b".", b"-"),
            *(b"\xff", b"\xe4\xb8", "\u4e3b".encode(), b"\x85", b"\x1c"),
            *(b" 9223372036854775807", b" 9223372036854775808", b" 00000000000000000003"),
            *(b" 123456789012345.5", b" 0.12345678901234567890", b" 999999999999999999999"),
        ]
    ),
    st.binary(max_size=4),
    st.from_regex(rb"\A -?[0-9]{1,21}(\.[0-9]{1,21})?\Z"),
)
TEXTS = st.lists(st.lists(PARTS, max_size=9).map(b"".join), max_size=8).map(b"\n".join)


def test_the_last_frame_of_a_line_is_the_leaf() -> None:
    profile = read_collapsed(b"# by hand\nmain;work 5\n\nmain 1 \r\nmain;a b;work -3")
    assert list_stacks(profile) == [
        (["work", "main"], [5]),
        (["main"], [1]),
        (["work", "a b", "main"], [-3]),
    ]
    assert [(each.name, each.unit) for each in profile.sample_types] == [("samples", "count")]
    assert profile.warnings == ()


def test_the_place_behind_a_name_is_its_file_and_line() -> None:
    profile = read_collapsed(b"main (app.py:12);work (/lib/a b.py:3);read_[k];f (x.py) 7\n")
    locations, functions = profile.locations, profile.functions
    assert [
        (profile.strings[functions.name[f]], profile.strings[functions.filename[f]], line)
        for f, line in zip(locations.line_function, locations.line_number, strict=True)
    ] == [
        ("main", "app.py", 12),
        ("work", "/lib/a b.py", 3),
        ("read_[k]", "", 0),
        ("f", "x.py", 0),
    ]


def test_two_values_in_every_line_are_before_and_after() -> None:
    profile = read_collapsed(b"main;work 5 9\nmain 0 4\n")
    assert [each.name for each in profile.sample_types] == ["before", "after"]
    assert list_stacks(profile) == [(["work", "main"], [5, 9]), (["main"], [0, 4])]
    once = read_collapsed(b"main;work 5 9\nmain 4\n")  # here a name ends in a number
    assert list_stacks(once) == [(["work 5", "main"], [9]), (["main"], [4])]


def test_fractions_are_rounded_and_that_is_said() -> None:
    profile = read_collapsed(b"main;work 5.6\nmain 1\n")
    assert list_stacks(profile) == [(["work", "main"], [6]), (["main"], [1])]
    assert profile.warnings == ("it has values with fractions, which are rounded",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"main;work 5\nmain;work\n", "line 2 is not a stack: 'main;work'"),
        (b"main;work 99999999999999999999\n", "63 bits"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    with pytest.raises(ContentError, match=says):
        read_collapsed(text)


def test_a_stack_without_frames_is_unknown() -> None:
    content = b"main (a.py:1);work (a.py:2) 5\n 1\nmain (a.py:1) 3\n"  # as py-spy writes it
    profile = open_content(content, "x")
    assert isinstance(profile, Profile)
    assert list_stacks(profile) == [(["work", "main"], [5]), (["<unknown>"], [1]), (["main"], [3])]
    with pytest.raises(ContentError, match="line 2 is not a stack: '1'"):
        read_collapsed(b"main;work 5\n1\n")


def list_rows(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(list_lines(content), 1):
        if line.strip() and not line.startswith(b"#"):
            yield number, line


def read_slowly(content: bytes) -> Profile:
    """The judge: line by line, by patterns."""
    n_values = 2 if all(LINES[2].fullmatch(line) for _, line in list_rows(content)) else 1
    samples = FrameSamples()
    frames: dict[str, int] = {}
    has_fractions = False
    for number, line in list_rows(content):
        row = LINES[n_values].fullmatch(line)
        if row is None:
            shown = line[:60].decode(errors="replace")
            raise ContentError(f"line {number} is not a stack: {shown!r}")
        names, *values = row.groups()
        has_fractions |= any(b"." in value for value in values)
        stack = []
        for name in (names.decode(errors="replace") or "<unknown>").split(";"):
            if name not in frames:
                frames[name] = samples.add_frame(parse_symbol(name))
            stack.append(frames[name])
        numbers = [round(float(text)) if b"." in text else int(text) for text in values]
        samples.add(numbers, stack[::-1])
    names_of = {1: ("samples",), 2: ("before", "after")}[n_values]
    types = [SampleType(name, "count") for name in names_of]
    said = ("it has values with fractions, which are rounded",) if has_fractions else ()
    return samples.build(types, warnings=said)


def list_columns(profile: Profile) -> list[object]:
    """All that a profile of these files has."""
    tables = (profile.functions, profile.locations, profile.samples, profile.labels)
    columns = [getattr(table, name) for table in tables for name in table.__slots__]
    assert not any(column.flags.writeable for column in columns)
    return [
        *(profile.strings, profile.sample_types, profile.default_type, profile.warnings),
        *((column.dtype.str, column.shape, column.tolist()) for column in columns),
    ]


def answer(read: object, content: bytes | bytearray) -> object:
    try:
        return list_columns(read(content))  # type: ignore[operator]
    except ContentError as error:
        return error.message


@given(TEXTS)
@example(b"")
@example(b"\n \n#x 5\n")
@example(b"a;b 1\na;b;c 2\na;b;c 3\na;b 4\na 5\na;bb 6\n;a 7\n;; 8\na;; 9")
@example(b"a 1 2\n 3 4\nb;  5  6 \n")
@example(b"a 1 2\nb 3\n")
@example(b" 1\n<unknown> 2\n; 3")
@example(b"a;b 1\n 2\n 2;c 3\na;b;d 4")
@example(b"main\r\n")
@example(b"a 8713000811224.5001\na 64991982579951.499\na 0.49999999999999994")
@example(b"\xff 1\n\xfe;\xff 2\n\xef\xbf\xbd 3\n")
@example(b"a 9223372036854775807\na -9223372036854775807\na 9223372036854775808")
@example(b"a 0.5\na 1.5\na 2.5\na 123456789012345.5\na 12345678901234567890.5\n")
@example(b"a 1\r\nb 2\r\r\nc\r 3\n\r\n")
def test_it_reads_what_plain_python_reads(content: bytes) -> None:
    assert answer(read_collapsed, content) == answer(read_slowly, content)
    assert answer(read_collapsed, bytearray(content)) == answer(read_slowly, content)


def test_it_reads_the_corpus_as_plain_python_does() -> None:
    contents = [path.read_bytes() for path in CORPUS.rglob("*") if path.is_file()]
    stacks = [content for content in contents if recognise(content) is FileKind.COLLAPSED]
    assert stacks
    for content in stacks:
        assert answer(read_collapsed, content) == answer(read_slowly, content)


def test_many_lines_and_frames_are_numbered_as_they_come() -> None:
    rng = np.random.default_rng(5)
    stacks = [[f"f{n} (x.py:{n})" for n in rng.integers(0, 9000, 12)] for _ in range(3000)]
    lines = [f"{';'.join(stack)} {n}" for n, stack in enumerate(stacks)]
    content = "\n".join(lines + sorted(lines)).encode()
    assert answer(read_collapsed, content) == answer(read_slowly, content)


def test_a_line_of_more_than_a_mebibyte_is_refused() -> None:
    most = b"x" * ((1 << 20) - 2) + b" 5"
    assert list_stacks(read_collapsed(b"a 1\n" + most))[1][1] == [5]
    for content, says in (
        (b"a 1\n" + b"x" * (1 << 20) + b" 5\nnone", "line 2 is not a stack: 'xxx"),
        (b"a 1\n" + most + b"5\nnone", "it has a line of 1048577 bytes"),
    ):
        assert answer(read_collapsed, content) == answer(read_slowly, content)
        with pytest.raises(ContentError, match=says):
            read_collapsed(content)


def test_reading_reports_and_can_be_cancelled() -> None:
    content = b"main;work 5\n" * 400_000
    shares: list[float] = []
    read_collapsed(content, shares.append)
    assert len(shares) == 4
    assert [0.0, *shares, 1.0] == sorted({0.0, *shares, 1.0})

    def cancel(_share: float) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        read_collapsed(content, cancel)
