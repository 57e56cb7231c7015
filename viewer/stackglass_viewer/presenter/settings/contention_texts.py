"""Texts of the contention bar and of the contention rates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.model.contention.buckets import LISTED_KINDS, ContentionKind
from stackglass_viewer.model.contention.snapshot import (
    ALL_WAITS,
    ContentionFilter,
    ContentionOffer,
    Recorded,
)
from stackglass_viewer.model.units import format_count, format_value
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice
from stackglass_viewer.presenter.settings.view_state import (
    ALL_CONTENTION,
    USUAL_CONTENTION,
    ContentionFigures,
    LiveStatus,
)

ALWAYS_OFFERED = (ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.GIL)

KIND_WORDS = {
    ContentionKind.BLOCK: ("Block", "Waits for locks: the stacks that waited, and how long"),
    ContentionKind.MUTEX: (
        "Mutex",
        "Holders of contended locks: each release is charged with the time all its waiters waited",
    ),
    ContentionKind.GIL: ("GIL", "Stacks that held the GIL while other threads waited for it"),
    ContentionKind.OTHER: (
        "Other waits",
        "Waits that are not for locks: sleep, sockets, select, child processes",
    ),
    ContentionKind.TASK: ("Tasks", "asyncio: tasks that waited for its locks, events, queues"),
    ContentionKind.STALL: ("Loop stalls", "asyncio: calls that blocked the event loop"),
    ContentionKind.IDLE: ("Idle loops", "asyncio: event loops with nothing to run"),
}


@dataclass(frozen=True, slots=True)
class ContentionBarState:
    """What the bar shows. Of a file, only delay or count."""

    kind: ContentionKind | None
    is_delay: bool
    kinds: tuple[ContentionKind, ...] = ()  # that are offered
    wanted: ContentionFilter = ALL_WAITS
    locks: tuple[tuple[int, str], ...] = ()  # number and words
    primitives: tuple[str, ...] = ()
    figures: str = ""
    figures_about: str = ""
    has_lost: bool = False  # what is shown is not all


def describe_contention_bar(
    shown: ContentionChoice,
    wanted: ContentionFilter,
    offer: ContentionOffer,
    status: LiveStatus,
) -> ContentionBarState:
    """The bar of a capture."""
    counts = _count_since(status.contention, offer.before)
    figures, about = _describe_figures(counts, offer.before)
    known = {*ALWAYS_OFFERED, *offer.kinds, *([ContentionKind.OTHER] if _has_other(status) else ())}
    return ContentionBarState(
        kind=shown.kind,
        is_delay=shown.is_delay,
        kinds=tuple(kind for kind in LISTED_KINDS if kind in known),
        wanted=wanted,
        locks=offer.locks,
        primitives=offer.primitives,
        figures=figures,
        figures_about=about,
        has_lost=counts is not None and bool(counts.n_lost or counts.n_lost_events),
    )


def _has_other(status: LiveStatus) -> bool:
    return bool(status.rates.has_other and status.rates.block_rate_ns)


def describe_file_contention(shown: ContentionChoice) -> ContentionBarState:
    """The bar of a file."""
    return ContentionBarState(kind=shown.kind, is_delay=shown.is_delay)


def _count_since(counts: ContentionFigures | None, before: Recorded) -> ContentionFigures | None:
    """Without what was recorded before this view connected, or before the last clear."""
    if counts is None:
        return None
    return replace(
        counts,
        n_events=max(counts.n_events - before.n_events, 0),
        n_lost=max(counts.n_lost - before.n_lost, 0),
        n_lost_events=max(counts.n_lost_events - before.n_lost_events, 0),
    )


def _describe_figures(counts: ContentionFigures | None, before: Recorded) -> tuple[str, str]:
    if counts is None:
        return "", ""
    locks = "1 lock" if counts.n_locks == 1 else f"{format_count(counts.n_locks)} locks"
    parts = [f"{format_count(counts.n_events)} recorded", locks]
    about = [
        "Recorded: sampled waits and releases, before scaling.",
        "Locks: distinct locks that a thread has waited for since the attach.",
    ]
    if before.n_events:
        n_before = format_count(before.n_events)
        about.insert(
            1,
            f"{n_before} earlier records, from before this view or its last clear, are not shown.",
        )
    if counts.n_lost:
        parts.append(f"{format_count(counts.n_lost)} lost")
        about.append("Lost: dropped for lack of buffer space. They are not part of any value.")
    if counts.n_lost_events:
        parts.append(f"{format_count(counts.n_lost_events)} without time")
        about.append(
            "Without time: part of the totals of All, but missing from shorter spans, single "
            "threads and the chart over time."
        )
    if counts.n_unnamed:
        about.append(f"{format_count(counts.n_unnamed)} stacks are not symbolized yet.")
    if counts.lock_source:
        about.append(f"How a taken lock is detected: {counts.lock_source}.")
    if counts.gil_source:
        about.append(f"How waits for the GIL are measured: {counts.gil_source}.")
    return "  ·  ".join(parts), "\n".join(about)


def describe_rates(rates: Rates) -> str:
    """``Off``, ``On``, ``All``, ``Custom``: on the button."""
    named = {OFF: "Off", USUAL_CONTENTION: "On", ALL_CONTENTION: "All"}
    return named.get(keep_contention(rates), "Custom")


def spell_rates(rates: Rates) -> str:
    """``block 10 µs · mutex 1 in 10 · GIL 100 Hz``; what is off is left out."""
    parts = [
        f"block {describe_block_rate(rates.block_rate_ns).lower()}" if rates.block_rate_ns else "",
        f"mutex {describe_fraction(rates.mutex_fraction).lower()}" if rates.mutex_fraction else "",
        f"GIL {describe_gil_rate(rates.gil_hz)}" if rates.gil_hz else "",
        f"stalls {describe_stall(rates.stall_ns)}" if rates.stall_ns else "",
        "other waits" if rates.has_other else "",
    ]
    return "  ·  ".join(part for part in parts if part) or "off"


def describe_block_rate(block_ns: int) -> str:
    """``10 µs``, ``Every wait``, ``Off``."""
    if block_ns == 0:
        return "Off"
    return "Every wait" if block_ns == 1 else _shorten(format_value(block_ns, "nanoseconds"))


def describe_fraction(fraction: int) -> str:
    """``1 in 10``, ``Every release``, ``Off``."""
    if fraction == 0:
        return "Off"
    return "Every release" if fraction == 1 else f"1 in {format_count(fraction)}"


def describe_gil_rate(hz: int) -> str:
    """``100 Hz``, ``Off``."""
    return f"{format_count(hz)} Hz" if hz else "Off"


def describe_stall(stall_ns: int) -> str:
    """``100 ms``, ``Off``."""
    return _shorten(format_value(stall_ns, "nanoseconds")) if stall_ns else "Off"


def explain_rates(status: LiveStatus) -> str:
    """The tool tip of the control."""
    return (
        f"Contention: {spell_rates(status.rates)}\n"
        "Block: records every wait of at least this long; shorter waits are sampled.\n"
        "Mutex: records one in N of the releases that a thread waited for.\n"
        "GIL: samples the holder and the waiters at this rate.\n"
        "Stalls: records calls that block asyncio's event loop for at least this long.\n"
        "Other waits: records sleep, sockets, select and child processes at Block's rate.\n"
        "Totals stay when recording is turned off."
    )


def _shorten(text: str) -> str:
    """``10.0 µs`` is ``10 µs``."""
    number, _, unit = text.partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"
