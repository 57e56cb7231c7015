"""Checks of arguments that must be whole numbers, with errors that name the argument."""

from __future__ import annotations

import operator


def read_whole(what: str, value: int) -> int:
    """Return ``value`` as an ``int``. Raises TypeError with ``what`` for ``1e6`` or ``"100"``."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r:.80}") from None
