"""Rates for blocks of code, which may overlap: in several threads, one in another.

Of the blocks that have one rate, the one that began last decides, as long as it lasts. When the
last of them ends, the rate of before comes back, unless the program has set another one meanwhile:
that one stays. If blocks alone have kept the engine, it leaves.
"""

from __future__ import annotations

import _thread
import itertools
import os

from stackglass.api.rates import Rates


class TemporaryRates:
    """The rates of one engine. Any thread; ``_guard`` guards everything in here, and is held while
    the engine sets a rate. A forked child has no blocks."""

    __slots__ = ("_blocks", "_guard", "_numbers", "_old", "_ours", "_pid", "_rates")

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._numbers = itertools.count()
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """In a forked child: another thread of the parent may have had the lock."""
        # _thread's, not threading's: the latter may have been replaced by a green one.
        self._guard = _thread.RLock()  # a signal handler may have a block of its own
        self._pid = os.getpid()
        self._blocks: dict[str, dict[int, int]] = {}  # by rate: values by number, oldest first
        self._old: dict[str, int] = {}  # by rate: the value before its first block
        self._ours: set[str] = set()  # rates that the program had never set before a block did

    def begin(self, rate: str, value: int) -> int:
        """Set a rate for a block; returns the block's number. Raises EngineError."""
        with self._guard:
            blocks = self._blocks.setdefault(rate, {})
            if not blocks:
                if rate not in self._rates.list_names():
                    self._ours.add(rate)
                self._old[rate] = self._rates.read(rate)
            number = next(self._numbers)
            try:
                self._rates.set(rate, value)
            except BaseException:
                self._go_back(rate)
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
                self._go_back(rate)
                return
            self._ours.discard(rate)  # the program has changed it, and may want what it has
            if not blocks:
                del self._old[rate]
            self._leave()

    def _go_back(self, rate: str) -> None:
        """Set the rate of the latest block that still runs, else the old one."""
        blocks = self._blocks[rate]
        value = list(blocks.values())[-1] if blocks else self._old.pop(rate)
        if self._rates.read(rate) != value:
            self._rates.set(rate, value)
        self._leave()

    def _leave(self) -> None:
        """After the last block of all: withdraw, unless the program has rates of its own."""
        if any(self._blocks.values()):
            return
        if self._ours and self._rates.list_names() <= self._ours:
            self._rates.withdraw()
        self._ours.clear()
