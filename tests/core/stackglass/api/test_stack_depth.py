"""The depth of stacks goes before the first rate."""

from __future__ import annotations

import pytest

from stackglass.api.rates import ProgramRates
from stackglass.api.stack_depth import StackDepth
from stackglass.errors import EngineError


class FakeEngine:
    """Notes depths."""

    def __init__(self) -> None:
        self.depths: list[int] = []

    def connect(self) -> int:
        raise AssertionError("no connection is needed")

    def set_own_rate(self, name: str, value: int, /) -> None:
        """Nothing."""

    def set_stack_depth(self, depth: int, /) -> int:
        self.depths.append(depth)
        return 192

    def withdraw(self) -> None:
        """Nothing."""


def test_it_is_kept_within_limits_and_refused_while_a_rate_is_set() -> None:
    engine = FakeEngine()
    rates = ProgramRates(engine)
    depth = StackDepth(engine, rates)
    assert depth.set_stack_depth(5000) == 192
    depth.set_stack_depth(1)
    assert engine.depths == [1024, 16]
    rates.set_heap_profile_rate(4096)
    with pytest.raises(EngineError, match="cannot be changed while a rate is set"):
        depth.set_stack_depth(512)
    with pytest.raises(TypeError, match="the depth of stacks is a whole number, not '64'"):
        depth.set_stack_depth("64")  # type: ignore[arg-type]
    rates.withdraw()
    depth.set_stack_depth(512)
    assert engine.depths[-1] == 512
