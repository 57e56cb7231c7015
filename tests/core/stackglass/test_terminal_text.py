"""Durations and names as a terminal shows them."""

from __future__ import annotations

import pytest

from stackglass.terminal_text import clean, format_duration

S = 10**9


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.0214, "21 ms"),
        (3.21, "3.2 s"),
        (59.99, "60.0 s"),
        (60, "1 min"),
        (250, "4 min 10 s"),
        (3600, "1 h"),
        (11_520, "3 h 12 min"),
        (5 * 86_400 + 3 * 3600 + 59, "5 d 3 h"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert format_duration(round(seconds * S)) == words


def test_names_have_no_control_characters() -> None:
    assert clean("wörker 1") == "wörker 1"
    assert clean("a\x1b[31m\nb\u202e") == "a?[31m?b?"
