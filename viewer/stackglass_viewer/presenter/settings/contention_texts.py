"""Texts of the contention bar and of the contention rates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.buckets import LISTED_KINDS
from stackglass_viewer.model.contention.snapshot import (
    ALL_WAITS,
    ContentionFilter,
    ContentionOffer,
    Recorded,
)
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.settings.rate_texts import spell_rates
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice
from stackglass_viewer.presenter.settings.view_state import (
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
    """State of the contention bar. For a file the bar has only the choice of delay or count."""

    kind: ContentionKind | None
    is_delay: bool
    kinds: tuple[ContentionKind, ...] = ()  # kinds that can be chosen
    wanted: ContentionFilter = ALL_WAITS
    locks: tuple[tuple[int, str], ...] = ()  # number and name of each lock that can be chosen
    primitives: tuple[str, ...] = ()
    figures: str = ""
    figures_about: str = ""
    has_lost: bool = False  # whether records or times were lost


def describe_contention_bar(
    shown: ContentionChoice,
    wanted: ContentionFilter,
    offer: ContentionOffer,
    status: LiveStatus,
) -> ContentionBarState:
    """Return the state of the bar for a capture."""
    counts = _count_since(status.contention, offer.before)
    figures, about = _describe_figures(counts, offer.before)
    known = {*ALWAYS_OFFERED, *offer.kinds, shown.kind}  # the shown one also without data
    if _has_other(status):
        known.add(ContentionKind.OTHER)
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
    """Return the state of the bar for a file."""
    return ContentionBarState(kind=shown.kind, is_delay=shown.is_delay)


def _count_since(counts: ContentionFigures | None, before: Recorded) -> ContentionFigures | None:
    """Return the counts without records from before this view connected or the last clear."""
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
    # The engine counts the records of all kinds together, and the table shows those of one.
    parts = [f"{format_count(counts.n_events)} recorded of all kinds", locks]
    about = [
        "Recorded: sampled waits and releases of all kinds, not only of the shown one, before "
        "scaling.",
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


def explain_rates(status: LiveStatus) -> str:
    """Return the tool tip of the control for contention rates."""
    return (
        f"Contention: {spell_rates(status.rates)}\n"
        "Block: records every wait of at least this long; shorter waits are sampled.\n"
        "Mutex: records one in N of the releases that a thread waited for.\n"
        "GIL: samples the holder and the waiters at this rate.\n"
        "Stalls: records calls that block asyncio's event loop for at least this long.\n"
        "Other waits: records sleep, sockets, select and child processes at Block's rate.\n"
        "Totals stay when recording is turned off."
    )
