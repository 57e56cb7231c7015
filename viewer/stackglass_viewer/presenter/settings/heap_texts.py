"""Texts of the heap bar, and of the placeholder of an empty heap."""

from __future__ import annotations

from dataclasses import dataclass

from stackglass_viewer.model.heap.cost import SAMPLE_NS, SAMPLE_NS_AT_1, HeapCost
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.units import (
    drop_zeros,
    format_clock,
    format_count,
    format_share,
    format_value,
    make_sentence,
)
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.presenter.settings.view_state import HeapFigures, LiveStatus

LIVE_NOW = "Live now"


@dataclass(frozen=True, slots=True)
class HeapBarState:
    """State of the heap bar. For a file the bar has only the two switches."""

    is_in_use: bool
    is_space: bool
    is_live: bool = False
    when: HeapWhen = HeapWhen.LIVE
    live_text: str = LIVE_NOW  # text of the choice ``HeapWhen.LIVE``
    has_full: bool = False  # whether a full collection can be chosen
    full_text: str = ""  # ``Last collection, 12 s ago``
    full_about: str = ""  # tool tip of ``full_text``
    can_collect: bool = False
    is_collecting: bool = False
    has_span: bool = False  # whether a span can be chosen; memory in use has no span
    has_threads: bool = False  # whether threads can be chosen
    figures: str = ""  # RSS, before the attach, unaccounted
    figures_about: str = ""


def _describe_live(status: LiveStatus, window: HeapWindow | None) -> str:
    """Return the text of the choice ``HeapWhen.LIVE``."""
    if window is not None and window.kind == "replay" and window.until is not None:
        return f"At {format_clock(window.until / UNITS_PER_S)}"
    return LIVE_NOW if status.is_attached else "At the end"


def describe_heap_bar(
    shown: HeapChoice, when: HeapWhen, status: LiveStatus, window: HeapWindow | None = None
) -> HeapBarState:
    """Return the state of the bar for a capture.

    ``window``: the window that the timeline selects, in place of the bar's moment. Allocations in
    a window can be filtered by thread.
    """
    heap = status.heap
    has_full = window is None and heap is not None and heap.full_age_ns is not None
    when = when if window is None else HeapWhen.LIVE
    text, about = _describe_full(heap)
    is_replay = window is not None and window.kind == "replay"
    figures, figures_about = _describe_memory(heap) if not is_replay else ("", "")
    return HeapBarState(
        is_in_use=shown.is_in_use,
        is_space=shown.is_space,
        is_live=True,
        when=when,
        live_text=_describe_live(status, window),
        has_full=has_full,
        full_text=text,
        full_about=about,
        can_collect=status.phase == "running" and not status.is_collecting,
        is_collecting=status.is_collecting,
        has_span=window is None and not shown.is_in_use and when is HeapWhen.LIVE,
        has_threads=window is not None and not shown.is_in_use,
        figures=figures,
        figures_about=figures_about,
    )


@dataclass(frozen=True, slots=True)
class MissingCount:
    """What an empty table of types says, and whether it offers to count."""

    title: str
    text: str = ""
    can_count: bool = False


def describe_missing_count(status: LiveStatus | None, summary: str, is_past: bool) -> MissingCount:
    """``status``: None = not known yet. ``summary``: the model's. ``is_past``: an earlier moment is
    shown, of which there can be no more counts."""
    if status is not None and status.is_counting:
        return MissingCount("Counting objects…")
    if is_past or status is None or status.phase != "running":
        return MissingCount(summary)
    text = "Counting shows the objects of each type, and how many bytes they have."
    return MissingCount(summary, text, can_count=True)


def describe_file_bar(shown: HeapChoice) -> HeapBarState:
    """Return the state of the bar for a file."""
    return HeapBarState(is_in_use=shown.is_in_use, is_space=shown.is_space)


def _describe_full(heap: HeapFigures | None) -> tuple[str, str]:
    """Return text and tool tip of the choice of the last full collection."""
    if heap is None or heap.full_age_ns is None:
        reason = "No full collection has run since the attach. Press Collect to run one."
        if heap is not None and not heap.is_listening_to_gc:
            reason = "Collections cannot be observed in this process."
        return "Last collection", reason
    seconds = heap.full_age_ns // 1_000_000_000
    age = drop_zeros(format_value(seconds, "seconds")) if seconds else "less than 1 s"
    return (
        f"Last collection, {age} ago",
        "Memory in use when the last full collection ended, as in Go's heap profile: without "
        "garbage, and without later allocations",
    )


def _describe_memory(heap: HeapFigures | None) -> tuple[str, str]:
    """Return the figures of the process's memory, and their explanation."""
    if heap is None or heap.problem:
        return "", ""
    parts, about = _describe_rss(heap) if heap.rss_bytes else ([], [])
    if heap.forgotten:
        parts.append("in use is incomplete")
        about += [make_sentence(reason) for reason in heap.forgotten]
    return "  ·  ".join(parts), "\n".join(about)


def _describe_rss(heap: HeapFigures) -> tuple[list[str], list[str]]:
    """Return the figures of a process whose RSS is known, and a sentence for each."""
    parts = [f"RSS {format_value(heap.rss_bytes, 'bytes')}"]
    about = [
        "RSS: the process's resident memory, as the kernel reports it.",
        f"In use: {format_value(heap.accounted_bytes, 'bytes')}, estimated from the sampled blocks "
        "that are live now.",
    ]
    if heap.attach_rss_bytes:
        parts.append(f"before attach {format_value(heap.attach_rss_bytes, 'bytes')}")
        parts.append(f"unaccounted {format_value(heap.unaccounted_bytes, 'bytes')}")
        about += [
            "Before attach: RSS when heap profiling began. Its origin is not known.",
            "Unaccounted: RSS minus both. Negative if memory from before the attach has been "
            "freed since, or if allocated memory was never touched.",
        ]
    if heap.n_lost:
        parts.append(f"{format_count(heap.n_lost)} lost")
        about.append("Lost: samples, or frees of sampled blocks, dropped for lack of space.")
    if heap.native_problem:
        about.append(
            f"Memory allocated outside Python's allocators is not recorded: {heap.native_problem}."
        )
    elif heap.n_native_libraries:
        libraries = format_count(heap.n_native_libraries)
        about.append(
            f"Memory allocated outside Python's allocators is recorded for {libraries} libraries."
        )
    if heap.n_allocators:
        allocators = format_count(heap.n_allocators)
        about.append(f"Libraries recorded at their own allocator: {allocators}.")
    about += [
        f"{name} has its own allocator, which cannot be recorded: {format_value(size, 'bytes')} of "
        "its arenas are resident, shown at the lines that reserved them."
        for name, size in heap.arenas
    ]
    return parts, about


def describe_no_heap(status: LiveStatus) -> tuple[str, str]:
    """Return title and text of an empty heap."""
    if status.heap is not None and status.heap.problem:
        return "No heap profile", make_sentence(status.heap.problem)
    if not status.rates.heap_rate:
        return "Heap sampling is off", "Choose a heap rate above to start sampling."
    if status.heap is not None and status.heap.n_samples:
        text = "The sampled blocks were freed, or allocated before the span or before this view."
        return "No sampled block to show", text
    return "Waiting for allocations", "Only allocations since heap profiling began are recorded."


def describe_cost(cost: HeapCost) -> str:
    """Return ``≈ 40/s, <0.01% CPU``; "" for rate 0."""
    if cost.rate == 0:
        return ""
    return f"≈ {format_count(round(cost.samples_hz))}/s, {format_share(cost.cpu_share)} CPU"


def explain_rate(status: LiveStatus, costs: tuple[HeapCost, ...]) -> str:
    """Return the tool tip of the control for the heap rate."""
    lines = ["Heap: one sample per this many allocated bytes on average"]
    if status.heap is not None and status.heap.samples_hz is not None and status.rates.heap_rate:
        lines.append(f"Now: {format_count(round(status.heap.samples_hz))} samples per second")
    if costs:
        lines.append(
            "≈: samples per second at each rate, from the allocations of the last 10 s;\n"
            f"CPU at {SAMPLE_NS:.0f} ns a sample ({SAMPLE_NS_AT_1:.0f} at every allocation)"
        )
    else:
        lines.append("Costs are estimated once a block has been sampled")
    return "\n".join(lines)
