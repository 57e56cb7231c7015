"""The span that a tab's views are of."""

from __future__ import annotations

from typing import Any

import pytest

from stackglass_viewer.presenter.settings.span_choice import SpanChoice, describe_span

S = 1_000_000_000


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ((1_200_000_000, 3_400_000_000), "1.20 s to 3.40 s (2.20 s)"),
        ((0, 20_000_000), "0 ns to 20.0 ms (20.0 ms)"),
        ((18_800_000_000, 18_820_000_000), "18.80 s to 18.82 s (20.0 ms)"),
        ((125_300_000_000, 125_302_000_000), "2:05.300 to 2:05.302 (2.00 ms)"),
        ((5 * S, 5 * S), "5.00 s to 5.00 s (0 ns)"),
        ((125 * S, 3725 * S), "2:05 to 1:02:05 (1.00 h)"),
    ],
)
def test_a_span_in_words(span: tuple[int, int], text: str) -> None:
    assert describe_span(span) == text


def test_each_choice_is_told_once(heard: Any) -> None:
    choice = SpanChoice()
    choice.changed.connect(lambda: heard.hear(choice.chosen))
    choice.choose((5, 2))
    choice.choose((2, 5))
    choice.choose((7, 7))
    choice.drop()
    choice.drop()
    assert heard.values == [(2, 5), (7, 8), None]


def test_what_was_chosen_elsewhere_is_shown_and_not_built_again(heard: Any) -> None:
    choice = SpanChoice()
    shown: list[object] = []
    choice.changed.connect(heard.hear)
    choice.chosen_changed.connect(shown.append)
    choice.moved.connect(lambda: heard.hear("moved"))
    choice.follow((1, 2))
    choice.follow((1, 2))
    assert (shown, heard.values) == ([(1, 2)], ["moved"])


def test_a_choice_that_the_timeline_shortens_is_one_choice(heard: Any) -> None:
    choice = SpanChoice()
    choice.chosen_changed.connect(lambda _: choice.follow((10, 20)))
    choice.moved.connect(lambda: heard.hear("moved"))
    choice.changed.connect(lambda: heard.hear(choice.chosen))
    choice.choose((8, 24))
    assert heard.values == [(10, 20)]
