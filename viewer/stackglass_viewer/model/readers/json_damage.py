"""What JSON of another shape than a reader expects leads to, as one line for the user."""

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
    """``what``: the format, with its article."""
    reason = f"{type(error).__name__}: {error}"
    return f"it is {what}, but is damaged ({reason[:80]})"
