"""Why there is nothing to be seen of contention, and what would change that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stackglass_viewer.model.contention_buckets import LISTED_KINDS, ContentionKind
from stackglass_viewer.model.contention_moment import ContentionFilter, ContentionOffer
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.contention_words import (
    KIND_WORDS,
    describe_fraction,
    describe_stall,
)
from stackglass_viewer.presenter.sample_choice import ContentionChoice
from stackglass_viewer.presenter.values import USUAL_CONTENTION, ContentionRates, LiveStatus

_NEEDS_OTHER = (ContentionKind.OTHER, ContentionKind.IDLE)
_OF_LOCKS = (ContentionKind.BLOCK, ContentionKind.MUTEX)
_NOBODY = {
    ContentionKind.BLOCK: "No wait for a lock has ended",
    ContentionKind.MUTEX: "No wait for a lock has ended",
    ContentionKind.GIL: "Nobody has waited for the GIL",
    ContentionKind.STALL: "Nothing has kept an event loop",
}
_SINCE = "Known is what began since it is recorded."
_OPEN = "A wait counts when it is over, if it began since it is recorded."

RemedyKind = Literal["record", "all", "unfilter", "now"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a button beside the words is to do."""

    kind: RemedyKind
    words: str
    rates: ContentionRates | None = None  # of "record"


_DROP = Remedy("unfilter", "Drop filters")
_ALL = Remedy("all", "Show all")
_NOW = Remedy("now", "Who waits now")


@dataclass(frozen=True, slots=True)
class Emptiness:
    """What stands in the place of a table or a graph."""

    title: str
    text: str
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at."""

    filters: tuple[str, ...] = ()  # in words: a lock, a call, threads
    span: str = ""  # ``10 s``; "" = all
    is_window: bool = False  # what is between two moments, in the place of that span


def describe_filter(wanted: ContentionFilter, locks: Mapping[int, str]) -> tuple[str, ...]:
    """What is filtered for, but for threads; ``locks`` by number."""
    told = []
    if wanted.lock >= 0:
        told.append(
            locks.get(wanted.lock) or ("this lock" if wanted.lock else "no lock of its own")
        )
    if wanted.primitive:
        told.append(wanted.primitive)
    return tuple(told)


def describe_no_contention(
    shown: ContentionChoice,
    status: LiveStatus,
    offer: ContentionOffer | None = None,
    look: Look | None = None,
) -> Emptiness:
    """Of a capture that runs."""
    assert shown.kind is not None  # of a capture it is known
    look = look or Look()
    if look.filters:
        text = f"Looked at is only {', '.join(look.filters)}{_say_span(look, ' in the last {}')}."
        return Emptiness("Nothing passes the filters", text, (_DROP,))
    missing = _find_missing(shown.kind, status)
    if missing is not None:
        return missing
    nobody, about = _describe_nobody(shown.kind, status)
    about += _name_others(shown.kind, offer)
    now = (
        (_NOW,) if shown.kind in _OF_LOCKS else ()
    )  # a program that hangs has no wait that is over
    if look.is_window:
        return Emptiness(f"{nobody} in this span", about, now)
    if look.span:
        return Emptiness(
            f"{nobody}{_say_span(look, ' in the last {}')}",
            about,
            (*now, _ALL),
        )
    n_before = offer.before.n_events if offer is not None else 0
    if n_before:
        earlier = f"{format_count(n_before)} recorded before that are not shown."
        return Emptiness(f"{nobody} since you began", f"{about} {earlier}", now)
    return Emptiness(f"{nobody} yet", about, now)


def _find_missing(kind: ContentionKind, status: LiveStatus) -> Emptiness | None:
    """What is not recorded, or cannot be; None = it is."""
    told, rates = status.contention, status.contention_rates
    if kind is ContentionKind.GIL:
        if told is not None and told.gil_problem:
            return Emptiness("No GIL profile", _sentence(told.gil_problem))
        if not rates.gil_hz:
            return _offer("The GIL is not watched", "Watch it", kind, rates)
        if told is None or not told.gil_source:
            text = "The engine does not see yet who waits for it."
            return Emptiness("Nothing is known of the GIL", text)
        return None
    is_all = told is not None and told.problem == told.gil_problem
    if told is not None and told.problem and (kind in _OF_LOCKS or is_all):
        return Emptiness("No contention profile", _sentence(told.problem))
    if kind is ContentionKind.MUTEX:
        is_recorded = bool(rates.mutex_fraction)
        return None if is_recorded else _offer("Holders are not recorded", "Record", kind, rates)
    if kind is ContentionKind.STALL:
        is_recorded = bool(rates.stall_ns)
        return None if is_recorded else _offer("Stalls are not recorded", "Record", kind, rates)
    if not rates.block_ns:
        return _offer("Waits are not recorded", "Record", kind, rates)
    if kind in _NEEDS_OTHER and not rates.other:
        return _offer("Other waits are not recorded", "Record", kind, rates)
    return None


def _offer(title: str, what: str, kind: ContentionKind, rates: ContentionRates) -> Emptiness:
    """Begin with it."""
    wanted = add_rates(kind, rates)
    begins = "Locks, above, has all rates. What was recorded so far stays."
    return Emptiness(title, begins, (Remedy("record", f"{what} now", wanted),))


def add_rates(kind: ContentionKind, rates: ContentionRates) -> ContentionRates:
    """Rates with which a kind is recorded: the usual ones where nothing is, else its own too."""
    if not any(rates):
        rates = USUAL_CONTENTION
    match kind:
        case ContentionKind.GIL:
            return rates._replace(gil_hz=rates.gil_hz or USUAL_CONTENTION.gil_hz)
        case ContentionKind.MUTEX:
            fraction = rates.mutex_fraction or USUAL_CONTENTION.mutex_fraction
            return rates._replace(mutex_fraction=fraction)
        case ContentionKind.STALL:
            return rates._replace(stall_ns=rates.stall_ns or USUAL_CONTENTION.stall_ns)
    other = int(kind in _NEEDS_OTHER) or rates.other
    return rates._replace(block_ns=rates.block_ns or USUAL_CONTENTION.block_ns, other=other)


def _describe_nobody(kind: ContentionKind, status: LiveStatus) -> tuple[str, str]:
    """As far as is known: of what is kept one in so many of there may have been some."""
    rates = status.contention_rates
    nobody, about = _NOBODY.get(kind, "Nothing of this kind"), _SINCE
    if kind is ContentionKind.BLOCK:
        about = _OPEN
    elif kind is ContentionKind.MUTEX and rates.mutex_fraction > 1:
        share = describe_fraction(rates.mutex_fraction)
        nobody = "No holder was recorded"
        about = f"Recorded is {share} of the releases that others waited for."
    elif kind is ContentionKind.MUTEX:
        about = _OPEN
    elif kind is ContentionKind.GIL:
        about = "Known is what was waited since it is watched."
    elif kind is ContentionKind.STALL:
        about = f"Known is what keeps it for {describe_stall(rates.stall_ns)} or longer."
    return nobody, about


def _name_others(kind: ContentionKind, offer: ContentionOffer | None) -> str:
    """Where else to look: a program of asyncio's may have no threads that wait."""
    others = offer.kinds - {kind, ContentionKind.PAIR} if offer is not None else frozenset()
    names = [KIND_WORDS[each][0] for each in LISTED_KINDS if each in others]
    return f" There is something in {', '.join(names)}." if names else ""


def _say_span(look: Look, words: str) -> str:
    return words.format(look.span) if look.span and not look.is_window else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
