"""Rates for blocks of code, which may be nested, or overlap in several threads.

Of the blocks that set the same rate, the one that began last decides while it lasts. When the last
of them ends, the old value is restored, unless the program has set another one meanwhile, which
stays. If only blocks have kept the engine, it leaves.
"""

from __future__ import annotations

import _thread
import itertools
import os

from stackglass.api.rates import ProgramRates


class TemporaryRates:
    """The rates of one engine. Any thread; ``_guard`` guards all fields, and is held while the
    engine sets a rate. A forked child has no blocks."""

    __slots__ = ("_blocks", "_guard", "_numbers", "_of_blocks", "_old", "_pid", "_rates")

    def __init__(self, rates: ProgramRates) -> None:
        self._rates = rates
        self._numbers = itertools.count()
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Reset all in a forked child: another thread of the parent may have held the lock."""
        # _thread's, not threading's, which gevent may have replaced.
        self._guard = _thread.RLock()  # a signal handler may have a block of its own
        self._pid = os.getpid()
        self._blocks: dict[str, dict[int, int]] = {}  # by rate: values by number, oldest first
        self._old: dict[str, int] = {}  # by rate: the value before its first block
        self._of_blocks: set[str] = set()  # rates that only blocks have set

    def begin(self, rate: str, value: int) -> int:
        """Set a rate for a block; returns the block's number. Raises EngineError."""
        with self._guard:
            blocks = self._blocks.setdefault(rate, {})
            if not blocks:
                if rate not in self._rates.list_names():
                    self._of_blocks.add(rate)
                self._old[rate] = self._rates.read(rate)
            number = next(self._numbers)
            try:
                self._rates.set(rate, value)
            except BaseException:
                self._restore(rate)
                raise
            blocks[number] = value
            return number

    def end(self, rate: str, number: int) -> None:
        """End a block. Raises EngineError."""
        with self._guard:
            blocks = self._blocks.get(rate, {})
            if self._pid != os.getpid() or number not in blocks:
                return
            is_changed = self._rates.read(rate) != list(blocks.values())[-1]
            del blocks[number]
            if not is_changed:
                self._restore(rate)
                return
            self._of_blocks.discard(rate)  # the program has set it, and may want its data
            if not blocks:
                del self._old[rate]
            self._leave()

    def _restore(self, rate: str) -> None:
        """Set the rate of the latest block that still runs, else the old one."""
        blocks = self._blocks[rate]
        value = list(blocks.values())[-1] if blocks else self._old.pop(rate)
        if self._rates.read(rate) != value:
            self._rates.set(rate, value)
        self._leave()

    def _leave(self) -> None:
        """Withdraw the rates after the last block, unless the program has rates of its own."""
        if any(self._blocks.values()):
            return
        if self._of_blocks and self._rates.list_names() <= self._of_blocks:
            self._rates.withdraw()
        self._of_blocks.clear()
