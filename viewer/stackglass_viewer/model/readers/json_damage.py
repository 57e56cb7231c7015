"""Exceptions that a reader meets in JSON of an unexpected shape, and their message for the user."""

from __future__ import annotations

import re

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


_OTHER_TYPE = "a value is not of the type that its place needs"
_BEYOND = "a number points beyond the end of a list"
_OF_PYTHON = (  # messages of Python and numpy, and words for a user
    (re.compile(r"out of (range|bounds)"), _BEYOND),
    (re.compile(r"to unpack"), "a list has more or fewer items than it needs"),
    (re.compile(r"too (large|big) to|infinity"), "a number is too large"),
    (re.compile(r"invalid literal|could not convert|cannot convert"), "a value is not a number"),
)
_OF_TYPES = re.compile(r"'\w+'|\w\(\)|argument|must be|is required|array|indices|concat")
"""Words of Python's and numpy's messages about a wrong type, which this package's ValueErrors also
use."""


def explain_damage(what: str, error: BaseException) -> str:
    """Return the message for a damaged file. ``what``: the format, with its article."""
    return f"it is {what}, but is damaged ({describe_damage(error)[:80]})"


def describe_damage(error: BaseException) -> str:
    """Return what is wrong, in words for a user: without names of Python's classes."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    if isinstance(error, KeyError):
        return _describe_key(error.args[0] if error.args else None)
    if isinstance(error, AttributeError):
        return _OTHER_TYPE
    if isinstance(error, UnicodeError):
        return "a text is not valid Unicode"
    text = " ".join(str(error).split())
    if isinstance(error, (IndexError, OverflowError, TypeError)) or type(error) is ValueError:
        for pattern, plain in _OF_PYTHON:
            if pattern.search(text):
                return plain
        if type(error) is not ValueError and _OF_TYPES.search(text):
            return _OTHER_TYPE
    return text or _OTHER_TYPE


def _describe_key(key: object) -> str:
    if isinstance(key, str):
        return f"it has no {key[:40]!r}"
    if isinstance(key, int):
        return f"it refers to {str(key)[:40]}, which it does not define"
    return "it refers to an entry that it does not define"
