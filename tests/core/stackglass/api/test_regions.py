"""Regions, where nothing records: what blocks and decorated functions do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import stackglass


def test_a_block_lets_values_and_errors_through() -> None:
    with stackglass.region("outer"), stackglass.region("inner"):
        pass
    with pytest.raises(ZeroDivisionError), stackglass.region("\ud800"):
        raise ZeroDivisionError


def test_functions_and_coroutine_functions_are_decorated() -> None:
    @stackglass.region("work")
    def work(n: int) -> int:
        """Adds one, and calls itself."""
        return work(n - 1) + 1 if n else 0

    @stackglass.region("wait")
    async def wait(n: int) -> int:
        await asyncio.sleep(0)
        return n

    async def wait_for_all() -> list[int]:
        return list(await asyncio.gather(wait(1), wait(2)))

    assert work(3) == 3
    assert work.__doc__ == "Adds one, and calls itself."
    assert asyncio.run(wait_for_all()) == [1, 2]


def test_what_is_refused() -> None:
    region = stackglass.region("a")
    with region, pytest.raises(RuntimeError, match="in use already"):
        region.__enter__()
    with region:
        pass  # again, once it has ended
    for wrong in ((), (5,), ("a", "b")):
        with pytest.raises(TypeError, match="a region has a name"):
            stackglass.region(*wrong)

    def generate() -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match="cannot decorate a generator function"):
        stackglass.region("a")(generate)


@pytest.mark.parametrize(
    "decorate", [stackglass.region("a"), stackglass.labels(a=1), stackglass.cpu_profile("x")]
)
def test_what_cannot_be_called_is_refused(decorate: Any) -> None:
    with pytest.raises(TypeError, match="can only decorate a function, not 5"):
        decorate(5)
