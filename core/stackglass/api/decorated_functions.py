"""Decorated functions: each call, or each run of a coroutine function, is in a block of its own."""

from __future__ import annotations

import functools
from collections.abc import Awaitable
from contextlib import AbstractContextManager
from typing import Callable, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., object])

_COROUTINE = 0x80  # flags of code objects, as `inspect` has them
_GENERATORS = 0x20 | 0x200  # synchronous and asynchronous ones


def decorate(
    what: str, make_block: Callable[[], AbstractContextManager[object]], function: _F
) -> _F:
    """Return a function that runs ``function`` in a new block at each call. ``what`` is the subject
    of the error messages.

    Raises TypeError for what cannot be called, and for a generator function, which does not run
    while it is called.
    """
    if not callable(function):
        raise TypeError(f"{what} can only decorate a function, not {function!r:.80}")
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _GENERATORS:
        raise TypeError(f"{what} cannot decorate a generator function: use `with` inside it")

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        with make_block():
            return function(*args, **kwargs)

    @functools.wraps(function)
    async def call_coroutine(*args: object, **kwargs: object) -> object:
        with make_block():
            return await cast("Awaitable[object]", function(*args, **kwargs))

    return cast("_F", call_coroutine if flags & _COROUTINE else call)
