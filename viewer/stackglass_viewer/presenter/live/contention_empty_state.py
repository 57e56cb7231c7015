"""Empty states of contention: why there is no data, and what would change that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import OFF, Rates, keep_contention, replace_contention
from stackglass_viewer.model.contention.buckets import LISTED_KINDS
from stackglass_viewer.model.contention.snapshot import ContentionFilter, ContentionOffer
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.units import format_clock, format_count, make_printable, make_sentence
from stackglass_viewer.presenter.settings.contention_texts import KIND_WORDS
from stackglass_viewer.presenter.settings.rate_texts import describe_fraction, describe_stall
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice
from stackglass_viewer.presenter.settings.view_state import (
    USUAL_CONTENTION,
    LiveStatus,
)

_NEEDS_OTHER = (ContentionKind.OTHER, ContentionKind.IDLE)
_OF_LOCKS = (ContentionKind.BLOCK, ContentionKind.MUTEX)
_NONE = {
    ContentionKind.BLOCK: "No wait for a lock recorded",
    ContentionKind.MUTEX: "No holder recorded",
    ContentionKind.GIL: "No wait for the GIL recorded",
    ContentionKind.STALL: "No stall recorded",
}
_SINCE = "Only waits that began after recording was turned on are recorded."
_OPEN = "A wait is recorded when it ends, if it began after recording was turned on."

RemedyKind = Literal["record", "all", "unfilter", "now"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """The action of a button below the text."""

    kind: RemedyKind
    words: str
    rates: Rates | None = None  # for kind "record": the rates to set


_DROP = Remedy("unfilter", "Clear filters")
_ALL = Remedy("all", "Show all")
_NOW = Remedy("now", "Show waiting now")


@dataclass(frozen=True, slots=True)
class Emptiness:
    """Text and buttons that replace an empty table or graph."""

    title: str
    text: str
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewScope:
    """The filters and the span of the view."""

    filters: tuple[str, ...] = ()  # in words: a lock, a call, threads
    span: str = ""  # ``10 s``; "" = all
    is_window: bool = False  # a span between two moments is shown, instead of ``span``
    threads: str = ""  # the chosen threads in words; "" = all
    labels: str = ""  # the chosen labels in words; "" = all
    has_transforms: bool = False  # whether frames are left out or merged
    is_idle: bool = False  # whether no thread used the CPU


def describe_filter(wanted: ContentionFilter, locks: Mapping[int, str]) -> tuple[str, ...]:
    """Return the lock and call of a filter in words. ``locks``: names by lock number."""
    words = []
    if wanted.lock >= 0:
        words.append(
            locks.get(wanted.lock) or ("this lock" if wanted.lock else "no identified lock")
        )
    if wanted.primitive:
        words.append(wanted.primitive)
    return tuple(words)


def describe_no_contention(
    shown: ContentionChoice,
    status: LiveStatus,
    offer: ContentionOffer | None = None,
    scope: ViewScope | None = None,
) -> Emptiness:
    """Return the empty state of a contention view. Only a running capture can change what
    it records, and has threads that wait now."""
    assert shown.kind is not None  # a capture always has a kind
    scope = scope or ViewScope()
    is_running = status.phase == "running"
    if scope.filters:
        filters = make_printable(", ".join(scope.filters))
        text = f"Filtered by {filters}{_say_span(scope, ', in the last {}')}."
        return Emptiness("No wait matches the filters", text, (_DROP,))
    missing = _find_missing(shown.kind, status) if is_running else None
    if missing is not None:
        return missing
    none, about = _describe_none(shown.kind, status)
    about += _name_others(shown.kind, offer)
    # A program that hangs has waits that do not end: only Show waiting now has them.
    now = (_NOW,) if shown.kind in _OF_LOCKS and is_running else ()
    if scope.is_window:
        return Emptiness(f"{none} in this span", about, now)
    if scope.span:
        return Emptiness(
            f"{none}{_say_span(scope, ' in the last {}')}",
            about,
            (*now, _ALL),
        )
    n_before = offer.before.n_events if offer is not None else 0
    if n_before:
        earlier = f"{format_count(n_before)} earlier records are not shown."
        return Emptiness(f"{none} in this view", f"{about} {earlier}", now)
    return Emptiness(f"{none} yet" if is_running else none, about, now)


def _find_missing(kind: ContentionKind, status: LiveStatus) -> Emptiness | None:
    """Return why this kind is not recorded, or cannot be; None = it is recorded."""
    figures, rates = status.contention, status.rates
    if kind is ContentionKind.GIL:
        if figures is not None and figures.gil_problem:
            return Emptiness("No GIL profile", make_sentence(figures.gil_problem))
        if not rates.gil_hz:
            return _offer("The GIL is not recorded", "Record", kind, rates)
        if figures is None or not figures.gil_source:
            text = "The engine cannot detect waits for the GIL yet."
            return Emptiness("No GIL data yet", text)
        return None
    is_all = figures is not None and figures.problem == figures.gil_problem
    if figures is not None and figures.problem and (kind in _OF_LOCKS or is_all):
        return Emptiness("No contention profile", make_sentence(figures.problem))
    if kind is ContentionKind.MUTEX:
        is_recorded = bool(rates.mutex_fraction)
        return None if is_recorded else _offer("Holders are not recorded", "Record", kind, rates)
    if kind is ContentionKind.STALL:
        is_recorded = bool(rates.stall_ns)
        return None if is_recorded else _offer("Stalls are not recorded", "Record", kind, rates)
    if not rates.block_rate_ns:
        return _offer("Waits are not recorded", "Record", kind, rates)
    if kind in _NEEDS_OTHER and not rates.has_other:
        return _offer("Other waits are not recorded", "Record", kind, rates)
    return None


def _offer(title: str, what: str, kind: ContentionKind, rates: Rates) -> Emptiness:
    """Return an empty state with a button that starts recording ``kind``."""
    wanted = add_rates(kind, rates)
    text = "All rates are under Locks, above. Earlier records are kept."
    return Emptiness(title, text, (Remedy("record", f"{what} now", wanted),))


def watches_waits(status: LiveStatus) -> bool:
    """Whether the engine's reports of waiting threads are current."""
    return status.phase == "running" and has_lock_rates(status)


def has_lock_rates(status: LiveStatus) -> bool:
    """Whether Block or Mutex is on, or was when the session ended."""
    return bool(status.rates.block_rate_ns or status.rates.mutex_fraction)


def describe_no_waiting(status: LiveStatus, has_answer: bool) -> Emptiness:
    """Return the empty state of the threads that wait now. ``has_answer``: the engine reported that
    none waits."""
    if not status.is_attached:
        text = "Threads that wait are shown while the process is attached."
        return Emptiness("Not attached", text)
    if status.phase != "running":
        return Emptiness("Attaching…", f"Connecting to process {status.pid}.")
    figures, rates = status.contention, status.rates
    if figures is not None and figures.problem:
        return Emptiness("Locks cannot be watched", make_sentence(figures.problem))
    if not watches_waits(status):
        text = "Threads that wait are shown while Block or Mutex is on: see Locks, above."
        wanted = add_rates(ContentionKind.BLOCK, rates)
        return Emptiness("Locks are not watched", text, (Remedy("record", "Watch now", wanted),))
    if not has_answer:
        return Emptiness("Looking for waiting threads", "The engine has not answered yet.")
    return Emptiness("No thread waits for a lock now", "Updated once a second.")


def describe_paused_waiting() -> Emptiness:
    """Return the empty state of a paused list, in which no thread waits."""
    text = "Paused: press Resume to see the threads that wait now."
    return Emptiness("No thread waited for a lock then", text)


def describe_no_past_waiting(has_answer: bool, until: int | None = None) -> Emptiness:
    """Return the empty state of the threads that waited at an earlier moment.

    ``has_answer``: the engine reported at that time that none waited. ``until`` is the moment in
    units of 10 ms; None = the end of a saved session.
    """
    if has_answer:
        text = "No thread waited for a lock when the process was last asked."
        return Emptiness("No thread waited then", text)
    if until is None:
        text = (
            "While Block or Mutex is on, the process is asked every few seconds which threads wait."
        )
        return Emptiness("The session has no waiting threads", text)
    text = f"The process was not asked before {format_clock(until / UNITS_PER_S)}."
    return Emptiness("No waiting threads known", text)


def find_recorded(rates: Rates) -> ContentionKind:
    """Return the first kind that is recorded; BLOCK if none is."""
    if rates.block_rate_ns:
        return ContentionKind.BLOCK
    if rates.mutex_fraction:
        return ContentionKind.MUTEX
    if rates.stall_ns:
        return ContentionKind.STALL
    return ContentionKind.GIL if rates.gil_hz else ContentionKind.BLOCK


def add_rates(kind: ContentionKind, rates: Rates) -> Rates:
    """Return rates with which ``kind`` is recorded: the usual ones if all contention is off, else
    the current ones and this kind's usual one."""
    if keep_contention(rates) == OFF:
        rates = replace_contention(rates, USUAL_CONTENTION)
    match kind:
        case ContentionKind.GIL:
            return rates._replace(gil_hz=rates.gil_hz or USUAL_CONTENTION.gil_hz)
        case ContentionKind.MUTEX:
            fraction = rates.mutex_fraction or USUAL_CONTENTION.mutex_fraction
            return rates._replace(mutex_fraction=fraction)
        case ContentionKind.STALL:
            return rates._replace(stall_ns=rates.stall_ns or USUAL_CONTENTION.stall_ns)
    has_other = int(kind in _NEEDS_OTHER) or rates.has_other
    block_rate_ns = rates.block_rate_ns or USUAL_CONTENTION.block_rate_ns
    return rates._replace(block_rate_ns=block_rate_ns, has_other=has_other)


def _describe_none(kind: ContentionKind, status: LiveStatus) -> tuple[str, str]:
    """Return title and text. If one in N is recorded, there may have been waits even so."""
    rates = status.rates
    none, about = _NONE.get(kind, "No such wait recorded"), _SINCE
    if kind is ContentionKind.BLOCK:
        about = _OPEN
    elif kind is ContentionKind.MUTEX and rates.mutex_fraction > 1:
        share = describe_fraction(rates.mutex_fraction)
        about = f"Mutex records {share} of the releases that a thread waited for."
    elif kind is ContentionKind.MUTEX:
        about = _OPEN
    elif kind is ContentionKind.STALL and rates.stall_ns:
        about = f"Only stalls of at least {describe_stall(rates.stall_ns)} are recorded."
    return none, about


def _name_others(kind: ContentionKind, offer: ContentionOffer | None) -> str:
    """Return a sentence on other kinds with data: an asyncio program may have no thread waits."""
    others = offer.kinds - {kind, ContentionKind.PAIR} if offer is not None else frozenset()
    names = [KIND_WORDS[each][0] for each in LISTED_KINDS if each in others]
    return f" Other kinds with data: {', '.join(names)}." if names else ""


def _say_span(scope: ViewScope, words: str) -> str:
    return words.format(scope.span) if scope.span and not scope.is_window else ""
