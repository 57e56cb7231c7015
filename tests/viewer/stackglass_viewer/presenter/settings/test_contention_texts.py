"""What the window says of contention."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import OFF, Rates
from stackglass_viewer.model.contention.snapshot import ALL_WAITS, ContentionOffer, Recorded
from stackglass_viewer.model.contention.table import DelayHistogram
from stackglass_viewer.model.contention.wait_rate import WaitingSeries
from stackglass_viewer.presenter.settings.contention_texts import describe_contention_bar
from stackglass_viewer.presenter.settings.rate_texts import describe_rates, spell_rates
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice
from stackglass_viewer.presenter.settings.view_state import (
    ALL_CONTENTION,
    USUAL_CONTENTION,
    ContentionFigures,
    LiveStatus,
)
from stackglass_viewer.presenter.tables.delay_bars import describe_delays, describe_strip

FIGURES = ContentionFigures(1200, 0, 0, 0, 7, "state word", "interpreter", "", "")


@pytest.mark.parametrize(
    ("rates", "short", "long"),
    [
        (OFF, "Off", "off"),
        (
            USUAL_CONTENTION,
            "On",
            "block 10 µs  ·  mutex 1 in 10  ·  GIL 100 Hz  ·  stalls 100 ms",
        ),
        (
            ALL_CONTENTION,
            "All",
            "block 10 µs  ·  mutex 1 in 10  ·  GIL 100 Hz  ·  stalls 100 ms  ·  other waits",
        ),
        (Rates(block_rate_ns=1, has_other=1), "Custom", "block every wait  ·  other waits"),
        (
            Rates(block_rate_ns=1, mutex_fraction=1),
            "Custom",
            "block every wait  ·  mutex every release",
        ),
    ],
)
def test_rates_in_words(rates: Rates, short: str, long: str) -> None:
    assert (describe_rates(rates), spell_rates(rates)) == (short, long)


def test_kinds_without_reports_are_offered_only_if_usual() -> None:
    offer = ContentionOffer(frozenset({ContentionKind.STALL}), (), ())
    status = LiveStatus("running", 1, contention=FIGURES)
    state = describe_contention_bar(ContentionChoice(), ALL_WAITS, offer, status)
    assert [kind.name for kind in state.kinds] == ["BLOCK", "MUTEX", "GIL", "STALL"]
    assert state.figures == "1\u202f200 recorded of all kinds  ·  7 locks"
    assert "state word" in state.figures_about
    assert not state.has_lost
    status = LiveStatus("running", 1, rates=Rates(block_rate_ns=1, has_other=1))
    state = describe_contention_bar(ContentionChoice(), ALL_WAITS, offer, status)
    assert [kind.name for kind in state.kinds] == ["BLOCK", "MUTEX", "GIL", "OTHER", "STALL"]


def test_the_shown_kind_is_offered_even_without_reports() -> None:
    """The list was blank where no stall had been recorded yet."""
    offer, status = ContentionOffer(frozenset(), (), ()), LiveStatus("running", 1)
    shown = ContentionChoice(ContentionKind.STALL)
    state = describe_contention_bar(shown, ALL_WAITS, offer, status)
    assert [kind.name for kind in state.kinds] == ["BLOCK", "MUTEX", "GIL", "STALL"]


def test_earlier_records_are_distinguished() -> None:
    status = LiveStatus("running", 1, contention=FIGURES)
    offer = ContentionOffer(frozenset(), (), (), Recorded(1200, 0, 0))
    state = describe_contention_bar(ContentionChoice(), ALL_WAITS, offer, status)
    assert state.figures.startswith("0 recorded")
    assert "1\u202f200 earlier records" in state.figures_about


def test_loss_is_said() -> None:
    status = LiveStatus("running", 1, contention=FIGURES.__class__(5, 2, 3, 1, 7, "", "x", "", ""))
    offer = ContentionOffer(frozenset(), (), ())
    state = describe_contention_bar(ContentionChoice(), ALL_WAITS, offer, status)
    assert "2 lost  ·  3 without time" in state.figures
    assert state.has_lost


def test_delays_by_length_have_at_least_some_columns() -> None:
    bars = describe_delays("of f", DelayHistogram(20, np.array([2, 0, 4])), is_file=False)
    assert [bar.count for bar in bars.bars] == [0, 0, 2, 0, 4, 0, 0, 0]
    labels = ["262 µs", "524 µs", "1 ms", "2.1 ms", "4.2 ms", "8.4 ms", "17 ms", "34 ms"]
    assert [bar.label for bar in bars.bars] == labels
    assert [bar.size for bar in bars.bars] == list(range(18, 26))
    assert bars.bars[2].about == "1.05 ms … 2.10 ms: 2"
    assert [bar.share for bar in bars.bars][2:5] == [0.5, 0.0, 1.0]
    assert describe_delays("", DelayHistogram(0, np.array([], np.int64)), False).bars == ()
    assert "Files have" in describe_delays("", None, is_file=True).about


def test_waiting_over_time_is_drawn_to_a_round_height() -> None:
    strip = describe_strip(WaitingSeries(60, np.array([0.0, 3.1])), 300)
    assert (strip.top, strip.top_text, strip.about) == (5.0, "5 s/s", "last 5 min")
    assert [bar.about for bar in strip.bars] == ["1:00: no waits", "1:01: 3.10 s waited"]
    assert describe_strip(WaitingSeries(0, np.zeros(2)), 300).top == 1.0
