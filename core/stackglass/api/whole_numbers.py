"""Whole numbers that a program gives, with an error that says which of them is none."""

from __future__ import annotations

import operator


def read_whole(what: str, value: int) -> int:
    """The number as an ``int``. Raises TypeError: ``1e6`` and ``"100"`` are none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r:.80}") from None
