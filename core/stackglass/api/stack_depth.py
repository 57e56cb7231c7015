"""Stack depth: how many frames of a stack the profiles keep."""

from __future__ import annotations

from typing import Protocol

from stackglass.api.rates import ProgramRates
from stackglass.api.whole_numbers import read_whole
from stackglass.errors import EngineError

LEAST, MOST = 16, 1024  # frames/stack_depth.h


class DepthEngine(Protocol):
    """The part of the extension that starts the engine."""

    def set_stack_depth(self, depth: int, /) -> int:
        """Keep so many frames of a stack from the next start on; returns the old number."""


class StackDepth:
    """Sets the depth with which the engine starts next. Any thread."""

    __slots__ = ("_engine", "_rates")

    def __init__(self, engine: DepthEngine, rates: ProgramRates) -> None:
        self._engine = engine
        self._rates = rates

    def set_stack_depth(self, frames: int) -> int:
        """Keep so many frames of a stack, 16 to 1024, in all profiles but cpu and wall, which keep
        512; 192 at first. Of a deeper stack the leaf side is kept. Returns the old number.

        Call this before the first rate, because the engine reads the depth when it starts. Raises
        EngineError if the program has set a rate.
        """
        frames = read_whole("the depth of stacks", frames)
        if self._rates.list_names():
            raise EngineError(
                "the depth of stacks cannot be changed while a rate is set",
                "set it before the first rate, or call withdraw_profile_rates()",
            )
        return self._engine.set_stack_depth(max(LEAST, min(frames, MOST)))
