"""What stands in the place of a CPU profile, and the notice, where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import OFF, Rates
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.live.view import WALL
from stackglass_viewer.presenter.live.contention_empty_state import (
    ViewScope,
    describe_no_contention,
)
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.live.texts import (
    SHOW_WAITS,
    choose_notice,
    describe_no_memory,
    describe_placeholder,
    describe_share_error,
    name_latest,
)
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    arrange,
    find_contention_type,
    find_heap_type,
)
from stackglass_viewer.presenter.settings.view_state import (
    ContentionFigures,
    HeapFigures,
    LiveStatus,
    Phase,
)

HEAP = HeapFigures(3, None, 0, 0, 0, 0, 0, 0, 0, (), "", None, True, 0, "")
STATUS = LiveStatus("running", 7, rates=Rates(cpu_hz=100))


def test_a_cpu_profile_that_is_refused_says_why() -> None:
    assert describe_placeholder(STATUS, None).title == "Waiting for samples"
    assert describe_placeholder(replace(STATUS, rates=OFF), None).title == "Sampling is off"
    refused = replace(STATUS, cpu_problem="no thread can be started")
    shown = describe_placeholder(refused, None)
    assert (shown.title, shown.text) == ("No CPU profile", "No thread can be started.")


@pytest.mark.parametrize("phase", ["running", "detached", "ended"])
def test_a_filter_that_hides_all_samples_is_named(phase: Phase) -> None:
    status = replace(STATUS, phase=phase, n_samples=80)
    of_threads = describe_placeholder(
        status, None, None, ViewScope(span="10 s", threads="worker 1")
    )
    assert of_threads.title == "No samples of the chosen threads"
    assert "worker 1" in of_threads.text
    of_span = describe_placeholder(status, None, None, ViewScope(span="10 s"))
    assert of_span.title == "No samples in the last 10 s"
    of_labels = describe_placeholder(status, None, None, ViewScope(labels="route = /a"))
    assert of_labels.title == "No samples with these labels"
    assert "route = /a" in of_labels.text
    none_yet = replace(status, n_samples=0)
    assert "captured" in describe_placeholder(none_yet, None, None, ViewScope(span="10 s")).text


def test_a_process_that_sleeps_has_nothing_over_time() -> None:
    shown = describe_placeholder(STATUS, None, None, ViewScope(span="10 s", is_idle=True))
    assert shown.title == "No CPU used yet"
    assert "wall rate" in shown.text


def test_a_filter_that_hides_all_memory_is_named() -> None:
    heap = arrange(LIVE_TYPES, TypeId(find_heap_type(LIVE_TYPES, HeapChoice())))
    scope = ViewScope(labels="route = /a")
    sampled = replace(STATUS, heap=HEAP, rates=Rates(heap_rate=1))
    shown = describe_placeholder(sampled, heap, None, scope)
    assert shown.title == "No memory with these labels"
    assert "route = /a" in shown.text
    nothing_yet = replace(sampled, heap=None)
    assert describe_placeholder(nothing_yet, heap, None, scope).title == "Waiting for allocations"


@pytest.mark.parametrize("phase", ["detached", "ended", "lost", "saved"])
def test_memory_in_use_at_the_end_has_no_span(phase: Phase) -> None:
    in_use = arrange(LIVE_TYPES, TypeId(find_heap_type(LIVE_TYPES, HeapChoice())))
    sampled = replace(STATUS, phase=phase, heap=HEAP)
    scope = ViewScope(span="10 s")
    shown = describe_placeholder(sampled, in_use, None, scope)
    assert (shown.title, shown.text) == (
        "No memory in use",
        "All sampled blocks had been freed by then.",
    )
    never = describe_placeholder(replace(sampled, heap=None), in_use, None, scope)
    assert never.text == "No memory data was recorded."
    refused = replace(sampled, heap=replace(HEAP, problem="no hook can be set"))
    assert describe_placeholder(refused, in_use, None, scope).text == "No hook can be set."
    labelled = describe_placeholder(sampled, in_use, None, ViewScope(labels="route = /a"))
    assert labelled.title == "No memory with these labels"
    growth = describe_placeholder(sampled, in_use, None, ViewScope(is_window=True))
    assert "in the span shown" in growth.text


def test_the_latest_moment_is_now_only_while_attached() -> None:
    assert name_latest(STATUS, is_paused=False)[0] == "Now"
    for phase in ("detached", "ended", "lost", "saved"):
        text, about = name_latest(replace(STATUS, phase=phase), is_paused=False)
        assert text == "At the end"
        assert "current" not in about


def test_the_latest_moment_of_a_paused_tab_is_the_pause() -> None:
    """Also if the program ends meanwhile: the readings stay those of the pause."""
    for phase in ("running", "ended"):
        text, about = name_latest(replace(STATUS, phase=phase), is_paused=True)
        assert text == "At the pause"
        assert "current" not in about


def test_threads_that_a_filter_shows_are_named_where_they_used_no_cpu() -> None:
    notice = choose_notice(STATUS, is_idle=True, threads="MainThread")
    assert notice is not None
    assert notice.text == (
        "No CPU used in this span by MainThread; the filter hides all other threads. The current "
        "stacks are shown instead."
    )


def test_without_cpu_sampling_no_cpu_use_is_not_claimed() -> None:
    """A busy process without a CPU rate has no samples either."""
    notice = choose_notice(replace(STATUS, rates=Rates(wall_hz=50)), is_idle=True, threads="one")
    assert notice is not None
    assert "No CPU used" not in notice.text
    assert "CPU sampling is off" in notice.text


def test_a_refusal_that_comes_later_is_a_notice() -> None:
    assert choose_notice(STATUS, is_idle=False) is None
    notice = choose_notice(replace(STATUS, cpu_problem="no thread can be started"), is_idle=True)
    assert notice is not None
    assert notice.text == "No CPU samples are taken: no thread can be started."
    ended = replace(STATUS, phase="detached", cpu_problem="no thread can be started")
    left = choose_notice(ended, is_idle=False)
    assert left is not None
    assert left.text.startswith("Detached.")


@pytest.mark.parametrize("phase", ["ended", "lost", "saved"])
def test_a_session_that_is_over_keeps_its_deadlocks(phase: Phase) -> None:
    over = replace(STATUS, phase=phase, message="the process was killed")
    alone = choose_notice(over, is_idle=False)
    notice = choose_notice(over, is_idle=False, deadlocks=("a waits for b",))
    assert alone is not None
    assert notice is not None
    deadlock = "Deadlock: these threads can never continue: a waits for b."
    assert notice.text == f"{alone.text}\n{deadlock}"
    assert (notice.tone, notice.action) == ("error", SHOW_WAITS)


def test_wall_samples_that_cannot_be_taken_say_why() -> None:
    why = "no thread can be started to sample waiting threads: a limit on threads is reached"
    refused = replace(STATUS, rates=Rates(cpu_hz=100, wall_hz=50), wall_problem=why)
    wall = arrange(LIVE_TYPES, TypeId(WALL))
    assert wall.is_wall
    shown = describe_placeholder(refused, wall)
    assert (shown.title, shown.text) == ("No wall profile", f"{why[:1].upper()}{why[1:]}.")
    waiting = describe_placeholder(replace(refused, wall_problem=""), wall)
    assert waiting.title == "Waiting for samples"
    notice = choose_notice(refused, is_idle=True)
    assert notice is not None
    assert (notice.tone, notice.text) == ("warning", f"No wall samples are taken: {why}.")


@pytest.mark.parametrize(
    ("wait_s", "least"), [(0.4, "0.3 seconds"), (2.9, "a second"), (59, "10 seconds")]
)
def test_a_wait_for_the_gil_names_both_causes(wait_s: float, least: str) -> None:
    """A process that is short of a processor looks the same from inside."""
    text = (
        f"The engine in process 7 has waited for the GIL for more than {least}. C code may hold "
        "it, or the process gets too little time on a processor. The engine continues once it has "
        "the GIL."
    )
    status = replace(STATUS, phase="waiting", gil_wait_ns=int(wait_s * 1e9))
    notice = choose_notice(status, is_idle=False)
    assert notice is not None
    assert (notice.tone, notice.text, notice.can_close) == ("warning", text, False)
    assert describe_placeholder(status, None).text == text
    seen = replace(status, outside_stack=("Thread 7 is in", "match  re/__init__.py:166"))
    lines = describe_placeholder(seen, None).text.split("\n")
    assert lines == [text, "", "Thread 7 is in", "match  re/__init__.py:166"]
    sampled = choose_notice(replace(status, phase="running", gil_wait_ns=3 * 10**9), is_idle=False)
    assert sampled is not None
    assert "CPU samples show where" in sampled.text
    short = replace(status, gil_wait_ns=200_000_000)
    assert choose_notice(short, is_idle=False) is None


@pytest.mark.parametrize(("wait_s", "is_reported"), [(0.9, False), (1.1, True)])
def test_short_waits_for_the_gil_move_nothing_in_a_session(
    wait_s: float, is_reported: bool
) -> None:
    status = replace(STATUS, gil_wait_ns=int(wait_s * 1e9))
    assert (choose_notice(status, is_idle=False) is not None) == is_reported


def test_replaced_functions_of_asyncio_are_reported() -> None:
    why = "the program has replaced asyncio.locks.Lock.acquire"
    figures = ContentionFigures(0, 0, 0, 0, 0, "", "", "", "", why)
    notice = choose_notice(replace(STATUS, contention=figures), is_idle=False)
    assert notice is not None
    assert notice.text == f"Waits and stalls of asyncio's tasks may be missing: {why}."
    other = replace(figures, tasks_problem="")
    assert choose_notice(replace(STATUS, contention=other), is_idle=False) is None


def test_threads_that_are_not_sampled_are_reported() -> None:
    crowd = replace(STATUS, rates=Rates(cpu_hz=100), n_threads=4100, n_unsampled_threads=4)
    notice = choose_notice(crowd, is_idle=False)
    assert notice is not None
    assert "threads are not sampled" in notice.text
    assert choose_notice(replace(crowd, n_unsampled_threads=5), is_idle=False) == notice
    assert choose_notice(replace(crowd, rates=Rates(cpu_hz=0)), is_idle=False) is None
    assert choose_notice(replace(crowd, n_unsampled_threads=0), is_idle=False) is None


def test_shares_that_may_be_off_are_explained() -> None:
    assert describe_share_error(STATUS) == ""
    known = replace(STATUS, share_error_points=9, share_error_cause="no timers")
    assert describe_share_error(known) == (
        "CPU shares may be 9 percentage points off while other processes keep all processors "
        "busy.\nCause: no timers. The total is right."
    )
    older = replace(STATUS, share_error_points=9)
    assert "Cause" not in describe_share_error(older)


def test_why_lines_of_c_are_missing_is_a_message_that_can_be_closed() -> None:
    problems = ("lines of libx are missing: it is damaged",)
    notice = choose_notice(replace(STATUS, line_problems=problems), is_idle=False)
    assert notice is not None
    assert (notice.tone, notice.can_close) == ("info", True)
    assert notice.text == "Lines of libx are missing: it is damaged."


def test_a_timeline_without_memory_offers_a_rate_only_while_one_can_be_chosen() -> None:
    assert describe_no_memory(STATUS).endswith("Choose a heap rate above to start sampling.")
    sampled = replace(STATUS, rates=Rates(heap_rate=1))
    assert describe_no_memory(sampled) == "No memory data yet."
    assert describe_no_memory(replace(STATUS, phase="failed")) == "No memory data was recorded."
    refused = replace(sampled, heap=replace(HEAP, problem="another profiler counts"))
    assert describe_no_memory(refused) == "Another profiler counts."


@pytest.mark.parametrize("phase", ["running", "detached", "ended"])
def test_a_filter_that_hides_all_wall_samples_is_named(phase: Phase) -> None:
    wall = arrange(LIVE_TYPES, TypeId(WALL))
    status = replace(STATUS, phase=phase, rates=Rates(wall_hz=50), n_wall_samples=80)
    of_threads = describe_placeholder(status, wall, None, ViewScope(threads="worker 1"))
    assert of_threads.title == "No samples of the chosen threads"
    of_labels = describe_placeholder(status, wall, None, ViewScope(labels="state = lock"))
    assert of_labels.title == "No samples with these labels"
    odd = describe_placeholder(status, wall, None, ViewScope(labels="route = a\nb"))
    assert odd.text.startswith("The filter shows only route = a\ufffdb. ")
    is_off = replace(status, rates=OFF)
    assert describe_placeholder(is_off, wall, None, ViewScope(threads="worker 1")) == of_threads


@pytest.mark.parametrize("phase", ["running", "detached", "ended"])
@pytest.mark.parametrize("span", ["10 s", ""])
def test_a_span_of_the_timeline_without_samples_is_not_the_last_ten_seconds(
    phase: Phase, span: str
) -> None:
    scope = ViewScope(span=span, is_window=True)
    for n_samples in (0, 80):
        status = replace(STATUS, phase=phase, n_samples=n_samples)
        shown = describe_placeholder(status, None, None, scope)
        assert shown.title == "No samples in this span"
        assert "yet" not in shown.text
    filtered = replace(scope, threads="worker 1")
    of_threads = describe_placeholder(replace(STATUS, n_samples=80), None, None, filtered)
    assert of_threads.title == "No samples of the chosen threads"


@pytest.mark.parametrize("phase", ["detached", "ended", "lost", "saved"])
def test_a_session_that_is_over_says_which_waits_are_missing(phase: Phase) -> None:
    index = find_contention_type(LIVE_TYPES, ContentionChoice())
    waits = arrange(LIVE_TYPES, TypeId(index))
    over = replace(STATUS, phase=phase, rates=Rates(block_rate_ns=1))
    none = describe_placeholder(over, waits)
    assert (none.title, none.remedies) == ("No wait for a lock recorded", ())
    in_span = describe_placeholder(over, waits, None, ViewScope(span="10 s"))
    assert in_span.title == "No wait for a lock recorded in the last 10 s"
    assert [remedy.kind for remedy in in_span.remedies] == ["all"]
    filtered = describe_placeholder(over, waits, None, ViewScope(filters=("shop.TILL",)))
    assert filtered.title == "No wait matches the filters"
    assert [remedy.kind for remedy in filtered.remedies] == ["unfilter"]
    stalls = describe_no_contention(ContentionChoice(ContentionKind.STALL), over)
    assert "0" not in stalls.text, "no length: stalls were never recorded"
