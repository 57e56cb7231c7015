"""What a recording wants of the profilers that it finds in a process, and what it then asks for.

An engine may be there for somebody else already. What that one has set stays as it is unless the
recording names a rate of its own; what is off is switched on.
"""

from __future__ import annotations

from typing import NamedTuple

from stackglass.wire import messages, requests
from stackglass.wire.contention_recording import ContentionKind

DEFAULT_HEAP_RATE = 512 * 1024  # bytes
DEFAULT_BLOCK_RATE_NS = 10_000
DEFAULT_MUTEX_FRACTION = 10
DEFAULT_GIL_HZ = 100


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
        """What to send, to an engine with these rates; empty = nothing."""
        rate = self.rate or now.heap_rate or DEFAULT_HEAP_RATE
        if rate == now.heap_rate:
            return b""
        return requests.encode_set_heap_rate(rate, self.has_native)


class ContentionWish(NamedTuple):
    """What a recording wants of contention: some of the profiles. Rates: None = as it is, or the
    default where it is off."""

    has_block: bool = False
    has_mutex: bool = False
    has_gil: bool = False
    block_rate_ns: int | None = None
    mutex_fraction: int | None = None
    gil_hz: int | None = None

    @property
    def kinds(self) -> list[ContentionKind]:
        """What it wants to be told."""
        wanted = (
            (ContentionKind.BLOCK, self.has_block),
            (ContentionKind.MUTEX, self.has_mutex),
            (ContentionKind.GIL, self.has_gil),
        )
        return [kind for kind, is_wanted in wanted if is_wanted]

    @property
    def new_rates(self) -> tuple[int, int, int]:
        """For an engine that starts for this recording: block, mutex, GIL; 0 = off."""
        rates = self._choose(messages.Rates())
        return rates[0] or 0, rates[1] or 0, rates[2] or 0

    def make_request(self, now: messages.Rates) -> bytes:
        """What to send, to an engine with these rates; empty = nothing."""
        wanted = self._choose(now)
        in_force = (now.block_rate_ns, now.mutex_fraction, now.gil_hz)
        news = [None if rate == told else rate for rate, told in zip(wanted, in_force)]
        if all(rate is None for rate in news):
            return b""
        return requests.encode_set_contention_rates(*news)

    def _choose(self, now: messages.Rates) -> tuple[int | None, int | None, int | None]:
        """Block, mutex, GIL; None = not wanted."""
        return (
            (self.block_rate_ns or now.block_rate_ns or DEFAULT_BLOCK_RATE_NS)
            if self.has_block
            else None,
            (self.mutex_fraction or now.mutex_fraction or DEFAULT_MUTEX_FRACTION)
            if self.has_mutex
            else None,
            (self.gil_hz or now.gil_hz or DEFAULT_GIL_HZ) if self.has_gil else None,
        )
