"""What is said of a heap."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackglass.wire.rates import OFF, Rates
from stackglass_viewer.model.heap.cost import HeapCost
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.heap_texts import (
    describe_cost,
    describe_heap_bar,
    describe_missing_count,
    describe_no_heap,
    explain_rate,
)
from stackglass_viewer.presenter.settings.rate_texts import describe_rate
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.presenter.settings.view_state import HEAP_RATES, HeapFigures, LiveStatus

MIB = 1 << 20
FIGURES = HeapFigures(
    n_samples=9,
    samples_hz=12.4,
    n_lost=0,
    accounted_bytes=30 * MIB,
    rss_bytes=100 * MIB,
    attach_rss_bytes=60 * MIB,
    unaccounted_bytes=10 * MIB,
    n_native_libraries=3,
    n_allocators=1,
    arenas=(("libx.so", 5 * MIB),),
    native_problem="",
    full_age_ns=12_900_000_000,
    is_listening_to_gc=True,
    n_unnamed=0,
    problem="",
)
STATUS = LiveStatus("running", 7, rates=Rates(heap_rate=512 * 1024), heap=FIGURES)


def test_the_bar_shows_how_old_the_last_collection_is_and_what_is_not_accounted_for() -> None:
    state = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, STATUS)
    assert (state.has_full, state.full_text) == (True, "Last collection, 12 s ago")
    young = replace(STATUS, heap=replace(FIGURES, full_age_ns=900_000_000))
    text = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, young).full_text
    assert text == "Last collection, less than 1 s ago"
    assert state.figures == "RSS 100 MiB  ·  before attach 60.0 MiB  ·  unaccounted 10.0 MiB"
    assert "recorded for 3 libraries" in state.figures_about
    assert "recorded at their own allocator: 1." in state.figures_about
    assert "libx.so has its own allocator, which cannot be recorded: 5.00" in (state.figures_about)
    assert (state.can_collect, state.is_collecting) == (True, False)


def test_the_bar_says_that_memory_in_use_is_incomplete() -> None:
    figures = replace(FIGURES, forgotten=("memory allocated before noon is missing",))
    state = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, replace(STATUS, heap=figures))
    assert state.figures.endswith("  ·  in use is incomplete")
    assert state.figures_about.endswith("Memory allocated before noon is missing.")
    # The same where the RSS cannot be read.
    figures = replace(figures, rss_bytes=0)
    state = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, replace(STATUS, heap=figures))
    assert state.figures == "in use is incomplete"
    assert state.figures_about == "Memory allocated before noon is missing."


@pytest.mark.parametrize(
    ("is_listening", "words"), [(True, "Press Collect to run one"), (False, "cannot be observed")]
)
def test_without_a_full_collection_it_says_why(is_listening: bool, words: str) -> None:
    figures = replace(FIGURES, full_age_ns=None, is_listening_to_gc=is_listening)
    state = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, replace(STATUS, heap=figures))
    assert (state.has_full, state.full_text) == (False, "Last collection")
    assert words in state.full_about


@pytest.mark.parametrize(
    ("is_in_use", "when", "window", "expected"),
    [
        (True, HeapWhen.LIVE, None, (False, False, True)),
        (False, HeapWhen.LIVE, None, (True, False, True)),
        (False, HeapWhen.AS_OF_FULL, None, (False, False, True)),
        (True, HeapWhen.AS_OF_FULL, HeapWindow("growth", 1, 2), (False, False, False)),
        (False, HeapWhen.LIVE, HeapWindow("span", 1, 2), (False, True, False)),
    ],
)
def test_only_what_means_something_can_be_chosen(
    is_in_use: bool, when: HeapWhen, window: HeapWindow | None, expected: tuple[bool, ...]
) -> None:
    state = describe_heap_bar(HeapChoice(is_in_use), when, STATUS, window)
    assert (state.has_span, state.has_threads, state.has_full) == expected


def test_less_than_nothing_and_losses_are_reported() -> None:
    figures = replace(
        FIGURES,
        rss_bytes=80 * MIB,
        unaccounted_bytes=-10 * MIB,
        n_lost=5,
        native_problem="this is no glibc",
    )
    state = describe_heap_bar(HeapChoice(), HeapWhen.LIVE, replace(STATUS, heap=figures))
    assert "unaccounted -10.0 MiB" in state.figures
    assert "5 lost" in state.figures
    assert "is not recorded: this is no glibc." in state.figures_about


def test_an_empty_heap_says_what_is_the_matter() -> None:
    waiting = replace(STATUS, heap=replace(FIGURES, n_samples=0))
    assert describe_no_heap(waiting)[0] == "Waiting for allocations"
    freed = replace(STATUS, heap=replace(FIGURES, n_samples=7))
    assert describe_no_heap(freed)[0] == "No sampled block to show"
    assert describe_no_heap(replace(STATUS, rates=OFF))[0] == "Heap sampling is off"
    refused = replace(STATUS, heap=replace(FIGURES, problem="another tool holds the hooks"))
    assert describe_no_heap(refused) == ("No heap profile", "Another tool holds the hooks.")


def test_rates_in_words() -> None:
    words = [describe_rate(rate) for rate in HEAP_RATES]
    assert words[:2] == ["Off", "4 MiB"]
    assert "512 KiB" in words
    assert words[-2:] == ["1 KiB", "Every allocation"]
    assert describe_rate(1500) == "1.46 KiB"


def test_costs_in_words() -> None:
    cost = HeapCost(4096, 1234.4, 0.00005)
    assert describe_cost(cost) == "≈ 1\u202f234/s, <0.01% CPU"
    assert describe_cost(HeapCost(0, 0.0, 0.0)) == ""
    assert "ns a sample" in explain_rate(STATUS, (cost,))
    assert "once a block has been sampled" in explain_rate(STATUS, ())


@pytest.mark.parametrize(
    ("status", "is_past", "expected"),
    [
        (LiveStatus("running", 7), False, ("none yet", True)),
        (LiveStatus("running", 7), True, ("none yet", False)),
        (LiveStatus("running", 7, is_counting=True), False, ("Counting objects…", False)),
        (LiveStatus("ended", 7), False, ("none yet", False)),
        (None, False, ("none yet", False)),
    ],
)
def test_objects_can_be_counted_while_the_process_runs(
    status: LiveStatus | None, is_past: bool, expected: tuple[str, bool]
) -> None:
    missing = describe_missing_count(status, "none yet", is_past)
    assert (missing.title, missing.can_count) == expected
    assert bool(missing.text) == missing.can_count
