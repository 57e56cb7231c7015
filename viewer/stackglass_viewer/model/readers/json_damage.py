"""Exceptions that a reader meets in JSON of an unexpected shape, and their message for the user."""

from __future__ import annotations

DAMAGE = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Keys that are not there, texts for numbers, infinity, too much inside each other."""


def explain_damage(what: str, error: BaseException) -> str:
    """Return the message for a damaged file. ``what``: the format, with its article."""
    reason = f"{type(error).__name__}: {error}"
    return f"it is {what}, but is damaged ({reason[:80]})"
