"""What a text of each kind of filter means, and what is wrong with it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import PATTERN_KINDS
from stackglass_viewer.presenter.settings.span_choice import describe_span
from stackglass_viewer.presenter.settings.typed_filters import (
    KINDS,
    FilterTarget,
    find_fault,
    find_kind,
    list_kinds,
    parse_label,
    parse_span,
    write_label,
)

S = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "key", "pattern"),
    [
        ("route=/api", "route", "/api"),
        (" route = /api ", "route", "/api"),
        ("thread name ~ ^load-", "thread name", "^load-"),
        ("/api", "", "/api"),
        ("^a=b", "", "^a=b"),
        ("(a|b)=c", "", "(a|b)=c"),
        ('"a=b"=c', "a=b", "c"),
        (' "a, b" ~ c=d ', "a, b", "c=d"),
        (r'"\"\u200e\\"=c', '"\u200e\\', "c"),
        ('""=a=b', "", "a=b"),
        ('"a"', "", '"a"'),
        ('"a" or "b"', "", '"a" or "b"'),
        ('"a=b', "", '"a=b'),
        ("7", "", "7"),
        ("[7]=8", "", "[7]=8"),
    ],
)
def test_a_label_is_a_key_and_a_pattern(text: str, key: str, pattern: str) -> None:
    label = parse_label(text)
    assert label == LabelPattern(key, pattern)
    assert parse_label(write_label(label)) == label


_TEXTS = st.text("aB1ä=~,;:\"'\\[{ \t\n.-/\u200e\u200f\u202e\u2066\ufeff\u00a0😀") | st.text()


@given(key=_TEXTS, pattern=_TEXTS.map(str.strip), is_excluded=st.booleans())
@example(key="a=b", pattern="c", is_excluded=False)
@example(key="", pattern="a=b", is_excluded=True)
@example(key="", pattern='"a"=b', is_excluded=False)
@example(key=" ", pattern="", is_excluded=False)
@example(key="\u200eroute", pattern="/api", is_excluded=False)
def test_every_label_is_written_as_a_text_that_says_the_same(
    key: str, pattern: str, is_excluded: bool
) -> None:
    """Of a key with other characters the text said another key, or any key."""
    label = LabelPattern(key, pattern, is_excluded)
    text = write_label(label)
    assert parse_label(text, is_excluded) == label
    assert text.removesuffix(pattern).isprintable(), "one cannot see what it says"


@pytest.mark.parametrize("key", ["route", "thread name", "http.method", "größe"])
def test_a_plain_key_needs_no_quotes(key: str) -> None:
    assert write_label(LabelPattern(key, "^/api")) == f"{key}=^/api"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1.5 s - 3 s", (S * 3 // 2, 3 * S)),
        ("1.5-3", (S * 3 // 2, 3 * S)),
        ("250ms to 1s", (S // 4, S)),
        ("0:05 – 1:10.5", (5 * S, 70 * S + S // 2)),
        ("1:00:00 .. 1:00:01", (3600 * S, 3601 * S)),
        ("2min-1h", (120 * S, 3600 * S)),
        ("0 - 10 us", (0, 10_000)),
        ("3 - 1", None),
        ("3", None),
        ("1 - 2 - 3", None),
        ("-1 - 2", None),
        ("soon - later", None),
        ("", None),
    ],
)
def test_a_span_is_two_moments(text: str, span: tuple[int, int] | None) -> None:
    assert parse_span(text) == span


@pytest.mark.parametrize("span", [(S, 3 * S), (S // 4, S // 2), (65 * S, 130 * S)])
def test_a_chips_own_words_can_be_typed(span: tuple[int, int]) -> None:
    assert parse_span(describe_span(span)) == span


def test_a_text_that_says_nothing_is_explained() -> None:
    label, time, frames = (
        find_kind(FilterTarget.LABEL),
        find_kind(FilterTarget.TIME),
        find_kind(FilterTarget.FRAMES, transform=PATTERN_KINDS[0]),
    )
    for kind in (label, frames):
        assert "not a regular expression" in find_fault(kind, "(")
        assert find_fault(kind, " ")
        assert not find_fault(kind, "a")
    assert find_fault(label, "route=")
    assert not find_fault(label, "route=(a|b)")
    assert "two moments" in find_fault(time, "yesterday")
    assert not find_fault(time, "1 - 2")


def test_only_what_there_is_is_offered() -> None:
    targets = {
        kind.target for kind in list_kinds(frozenset({FilterTarget.THREAD, FilterTarget.TIME}))
    }
    assert targets == {FilterTarget.THREAD, FilterTarget.TIME}
    assert {kind.transform for kind in KINDS} - {None} == set(PATTERN_KINDS)
