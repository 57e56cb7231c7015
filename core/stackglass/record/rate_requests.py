"""What a recording wants of the profilers that it finds in a process, and what it then asks for.

An engine may be there for another client already. A rate that this one has set stays as it is
unless the recording names one of its own; what is off is switched on. A recording asks for every
rate that it wants, also one that is in force: so the rate stays when the other client leaves.
"""

from __future__ import annotations

from typing import NamedTuple

from stackglass.wire import messages, requests
from stackglass.wire.contention_recording import ContentionKind

DEFAULT_HEAP_RATE = 512 * 1024  # bytes
DEFAULT_BLOCK_RATE_NS = 10_000
DEFAULT_MUTEX_FRACTION = 10
DEFAULT_GIL_HZ = 100
DEFAULT_STALL_NS = 100_000_000


class HeapWish(NamedTuple):
    """What a recording wants of the heap profiler."""

    rate: int | None  # bytes; None = as it is, or DEFAULT_HEAP_RATE where it is off
    is_collecting: bool  # before the end
    has_native: bool = True  # also of memory past Python's allocators

    @property
    def new_rate(self) -> int:
        """For an engine that starts for this recording."""
        return self.rate or DEFAULT_HEAP_RATE

    def make_request(self, now: messages.Rates) -> bytes:
        """What to send to an engine with these rates."""
        rate = self.rate or now.heap_rate or DEFAULT_HEAP_RATE
        return requests.encode_set_heap_rate(rate, self.has_native)


class ContentionWish(NamedTuple):
    """What a recording wants of contention: some of the profiles. Rates: None = as it is, or the
    default where it is off."""

    has_block: bool = False
    has_mutex: bool = False
    has_gil: bool = False
    has_tasks: bool = False
    has_stalls: bool = False
    has_other: bool = False  # block also has waits for other things than locks
    block_rate_ns: int | None = None  # of tasks too
    mutex_fraction: int | None = None
    gil_hz: int | None = None
    stall_ns: int | None = None

    @property
    def kinds(self) -> list[ContentionKind]:
        """What it wants to be told."""
        wanted = (
            (ContentionKind.BLOCK, self.has_block),
            (ContentionKind.MUTEX, self.has_mutex),
            (ContentionKind.GIL, self.has_gil),
            (ContentionKind.OTHER, self.has_other),
            (ContentionKind.TASK, self.has_tasks),
            (ContentionKind.STALL, self.has_stalls),
        )
        return [kind for kind, is_wanted in wanted if is_wanted]

    def list_arguments(self) -> dict[str, int]:
        """For an engine that starts for this recording; 0 = off."""
        rates = self._choose(messages.Rates())
        words = ("block", "mutex", "gil", "other", "stall")
        return {word: int(rate or 0) for word, rate in zip(words, rates)}

    def make_request(self, now: messages.Rates) -> bytes:
        """What to send to an engine with these rates."""
        return requests.encode_set_contention_rates(*self._choose(now))

    def _choose(self, now: messages.Rates) -> _Rates:
        """None = not wanted."""
        return _Rates(
            (self.block_rate_ns or now.block_rate_ns or DEFAULT_BLOCK_RATE_NS)
            if self.has_block or self.has_tasks
            else None,
            (self.mutex_fraction or now.mutex_fraction or DEFAULT_MUTEX_FRACTION)
            if self.has_mutex
            else None,
            (self.gil_hz or now.gil_hz or DEFAULT_GIL_HZ) if self.has_gil else None,
            True if self.has_other else None,
            (self.stall_ns or now.stall_ns or DEFAULT_STALL_NS) if self.has_stalls else None,
        )


class _Rates(NamedTuple):
    """Of contention; None = not wanted."""

    block_ns: int | None
    mutex_fraction: int | None
    gil_hz: int | None
    has_other: bool | None
    stall_ns: int | None
