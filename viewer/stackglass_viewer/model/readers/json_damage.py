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
"""Exceptions that Python raises for missing keys, for texts in place of numbers, for infinity and
for nesting that is too deep."""


def explain_damage(what: str, error: BaseException) -> str:
    """Return the message for a damaged file. ``what``: the format, with its article."""
    reason = f"{type(error).__name__}: {error}"
    return f"it is {what}, but is damaged ({reason[:80]})"
