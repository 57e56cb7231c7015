"""What graphs and tables show of a memory trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.shop_trace import ARENA, MS, open_shop
from stackglass_viewer.model.memory_trace.trace import go_on
from stackglass_viewer.presenter.memory_trace.subject import (
    Brush,
    SubjectKind,
    Wish,
    describe_emptiness,
    describe_subject,
    make_subject,
    read_subject,
)


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        (Wish(SubjectKind.PEAK), "Live at the peak, 4.000 ms: 196 KiB in 3 objects"),
        (
            Wish(SubjectKind.MOMENT, 7 * MS),
            "Live at 7.000 ms: 3.91 KiB in 2 objects",
        ),
        (Wish(SubjectKind.SPAN), "Allocated in the trace: 198 KiB in 4 objects"),
        (
            Wish(SubjectKind.SPAN, 0, Brush(4 * MS, 7 * MS)),
            "Allocated from 4.000 ms to 7.000 ms: 2.99 KiB in 2 objects",
        ),
        (
            Wish(SubjectKind.SPAN, 0, Brush(0, 9 * MS, (ARENA + 0x90000, ARENA + 0x91000))),
            f"Allocated in the trace at 0x{ARENA + 0x90000:x} to 0x{ARENA + 0x91000:x}: "
            "2.93 KiB in 1 object",
        ),
        (
            Wish(SubjectKind.LEAKS),
            "Allocated in the trace and live at its end: 3.03 KiB in 2 objects",
        ),
        (
            Wish(SubjectKind.LEAKS, 0, Brush(0, 7 * MS)),
            "Allocated from 0 ns to 7.000 ms and live at the end of the trace: "
            "2.93 KiB in 1 object",
        ),
    ],
)
def test_a_subject_is_a_profile_and_a_sentence(wish: Wish, text: str, tmp_path: Path) -> None:
    trace = open_shop(tmp_path)
    subject = make_subject(trace, wish)
    profile = read_subject(trace, subject, go_on)
    assert describe_subject(trace, subject, profile) == text


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Wish(SubjectKind.MOMENT, 7 * MS), "No object of the trace lives at this moment."),
        (Wish(SubjectKind.SPAN), "No allocation was recorded in this trace."),
        (
            Wish(SubjectKind.SPAN, 0, Brush(0, 1)),
            "No allocation was recorded in the part that is brushed. "
            "Esc over the picture removes the brush.",
        ),
        (Wish(SubjectKind.LEAKS), "Nothing is left of what was allocated in this trace."),
    ],
)
def test_an_empty_subject_says_of_what_it_is_empty(wish: Wish, words: str) -> None:
    assert describe_emptiness(wish)[1] == words
