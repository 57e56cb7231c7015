"""What stands in the place of contention that is empty: no more than is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import OFF, Rates
from stackglass_viewer.model.contention.snapshot import ContentionFilter, ContentionOffer, Recorded
from stackglass_viewer.presenter.live.contention_empty_state import (
    ViewScope,
    add_rates,
    describe_filter,
    describe_no_contention,
    describe_no_waiting,
    find_recorded,
)
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice
from stackglass_viewer.presenter.settings.view_state import (
    ALL_CONTENTION,
    USUAL_CONTENTION,
    ContentionFigures,
    LiveStatus,
)

FIGURES = ContentionFigures(1200, 0, 0, 0, 7, "state word", "interpreter", "", "")
BLOCK, MUTEX, GIL = ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL
RUNNING = LiveStatus("running", 1, rates=USUAL_CONTENTION, contention=FIGURES)


@pytest.mark.parametrize(
    ("kind", "rates", "title", "has_remedy"),
    [
        (BLOCK, OFF, "Waits are not recorded", True),
        (MUTEX, Rates(block_rate_ns=1), "Holders are not recorded", True),
        (GIL, Rates(block_rate_ns=1), "The GIL is not recorded", True),
        (BLOCK, USUAL_CONTENTION, "No wait for a lock recorded yet", False),
        (MUTEX, USUAL_CONTENTION, "No holder recorded yet", False),
        (MUTEX, Rates(mutex_fraction=1), "No holder recorded yet", False),
        (GIL, USUAL_CONTENTION, "No wait for the GIL recorded yet", False),
        (ContentionKind.OTHER, USUAL_CONTENTION, "Other waits are not recorded", True),
        (ContentionKind.OTHER, OFF, "Waits are not recorded", True),
        (
            ContentionKind.OTHER,
            Rates(block_rate_ns=1, has_other=1),
            "No such wait recorded yet",
            False,
        ),
        (ContentionKind.STALL, Rates(block_rate_ns=1), "Stalls are not recorded", True),
        (ContentionKind.STALL, USUAL_CONTENTION, "No stall recorded yet", False),
    ],
)
def test_it_says_why(kind: ContentionKind, rates: Rates, title: str, has_remedy: bool) -> None:
    status = LiveStatus("running", 1, rates=rates, contention=FIGURES)
    empty = describe_no_contention(ContentionChoice(kind), status)
    assert empty.title == title
    wanted = [each.rates for each in empty.remedies if each.rates is not None]
    assert bool(wanted) == has_remedy
    for better in wanted:
        status = LiveStatus("running", 1, rates=better, contention=FIGURES)
        remedies = describe_no_contention(ContentionChoice(kind), status).remedies
        assert not any(each.rates for each in remedies)


@pytest.mark.parametrize(
    ("rates", "kind"),
    [
        (OFF, BLOCK),
        (USUAL_CONTENTION, BLOCK),
        (Rates(mutex_fraction=1), MUTEX),
        (Rates(mutex_fraction=10, gil_hz=100), MUTEX),
        (Rates(stall_ns=50_000_000, gil_hz=100), ContentionKind.STALL),
        (Rates(gil_hz=100), GIL),
    ],
)
def test_the_first_kind_is_one_that_is_recorded(rates: Rates, kind: ContentionKind) -> None:
    assert find_recorded(rates) is kind
    if rates != OFF:
        status = LiveStatus("running", 1, rates=rates, contention=FIGURES)
        remedies = describe_no_contention(ContentionChoice(kind), status).remedies
        assert not any(each.kind == "record" for each in remedies)


@pytest.mark.parametrize(
    ("status", "title"),
    [
        (LiveStatus("connecting", 1), "Attaching…"),
        (replace(RUNNING, rates=OFF), "Locks are not watched"),
        (replace(RUNNING, rates=Rates(gil_hz=100)), "Locks are not watched"),
        (replace(RUNNING, rates=Rates(mutex_fraction=1)), "Looking for waiting threads"),
        (
            replace(RUNNING, rates=Rates(block_rate_ns=1), n_waits=1),
            "No thread waits for a lock now",
        ),
        (
            replace(RUNNING, contention=replace(FIGURES, problem="no locks we know")),
            "Locks cannot be watched",
        ),
        (replace(RUNNING, phase="ended", n_waits=1), "Not attached"),
        (replace(RUNNING, phase="detached", rates=OFF), "Not attached"),
    ],
)
def test_no_waiting_thread_is_only_said_where_locks_are_watched(
    status: LiveStatus, title: str
) -> None:
    empty = describe_no_waiting(status, has_answer=status.n_waits > 0)
    assert empty.title == title
    assert bool(empty.remedies) == (title == "Locks are not watched")
    for remedy in empty.remedies:
        assert remedy.rates is not None
        assert not describe_no_waiting(replace(status, rates=remedy.rates), False).remedies


def test_a_late_viewer_sees_earlier_records() -> None:
    offer = ContentionOffer(frozenset(), (), (), Recorded(1200, 0, 0))
    empty = describe_no_contention(ContentionChoice(), RUNNING, offer, ViewScope())
    assert empty.title == "No wait for a lock recorded in this view"
    assert "1\u202f200 earlier records are not shown" in empty.text


def test_kinds_that_have_something_are_named() -> None:
    kinds = frozenset({ContentionKind.STALL, ContentionKind.TASK, BLOCK, ContentionKind.PAIR})
    empty = describe_no_contention(ContentionChoice(), RUNNING, ContentionOffer(kinds, (), ()))
    assert empty.text.endswith("Other kinds with data: Tasks, Loop stalls.")


def test_a_short_span_says_so_and_offers_all() -> None:
    empty = describe_no_contention(ContentionChoice(), RUNNING, None, ViewScope(span="10 s"))
    assert empty.title == "No wait for a lock recorded in the last 10 s"
    assert [each.kind for each in empty.remedies] == ["now", "all"]
    window = describe_no_contention(ContentionChoice(), RUNNING, None, ViewScope((), "10 s", True))
    assert window.title == "No wait for a lock recorded in this span"
    assert [each.kind for each in window.remedies] == ["now"]


def test_filters_are_named_and_can_be_dropped() -> None:
    filters = describe_filter(ContentionFilter(3, "queue.Queue.get"), {3: "shop.TILL"})
    assert filters == ("shop.TILL", "queue.Queue.get")
    assert describe_filter(ContentionFilter(0), {}) == ("no identified lock",)
    empty = describe_no_contention(ContentionChoice(), RUNNING, None, ViewScope(filters, "10 s"))
    assert "Filtered by shop.TILL, queue.Queue.get, in the last 10 s" in empty.text
    assert [each.kind for each in empty.remedies] == ["unfilter"]
    odd = describe_no_contention(ContentionChoice(), RUNNING, None, ViewScope(("a\nb\u202e",)))
    assert odd.text == "Filtered by a\ufffdb\ufffd."


def test_a_kind_is_added_to_the_rates_that_are_there() -> None:
    assert add_rates(BLOCK, OFF) == USUAL_CONTENTION
    assert add_rates(ContentionKind.OTHER, OFF) == ALL_CONTENTION
    assert add_rates(GIL, Rates(block_rate_ns=1)) == Rates(block_rate_ns=1, gil_hz=100)
    assert add_rates(ContentionKind.IDLE, Rates(block_rate_ns=1)) == Rates(
        block_rate_ns=1, has_other=1
    )


@pytest.mark.parametrize(
    ("kind", "gil_problem", "is_refused"),
    [
        (BLOCK, "", True),
        (MUTEX, "", True),
        (ContentionKind.STALL, "", False),
        (GIL, "", False),
        (ContentionKind.STALL, "no room", True),
        (GIL, "no room", True),
    ],
)
def test_locks_that_are_refused_cost_no_other_kind(
    kind: ContentionKind, gil_problem: str, is_refused: bool
) -> None:
    """Where nothing of contention can be had, both have the same reason."""
    figures = replace(FIGURES, problem="no room", gil_problem=gil_problem)
    status = LiveStatus("running", 1, rates=USUAL_CONTENTION, contention=figures)
    empty = describe_no_contention(ContentionChoice(kind), status)
    assert ("No room" in empty.text) == is_refused
