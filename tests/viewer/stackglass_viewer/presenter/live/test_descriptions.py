"""What a process's tab shows, in words."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.live.descriptions import _say_seconds


@pytest.mark.parametrize(
    ("span_ns", "text"),
    [(0, "less than 1 s"), (999_999_999, "less than 1 s"), (10_900_000_000, "10.0 s")],
)
def test_a_span_is_in_whole_seconds(span_ns: int, text: str) -> None:
    assert _say_seconds(span_ns) == text
