"""Parameters of a query, read as Go reads them.

A number has digits and perhaps a sign, nothing else; one that does not fit into 64 bits is an error
for ``seconds`` and the largest number for ``debug`` and ``gc``.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_MOST = 2**63 - 1
_MOST_DIGITS = 19  # of _MOST


def find(query: str, name: str) -> str:
    """The first value of a parameter; "" if it has none. Malformed pairs are skipped."""
    for pair in query.split("&"):
        key, _, value = pair.partition("=")
        if ";" not in pair and not _BAD_ESCAPE.search(pair) and _decode(key) == name:
            return _decode(value)
    return ""


def read_flag(query: str, name: str) -> int:
    """The number of a parameter; 0 if it is missing or no number."""
    return max(-_MOST - 1, min(_read_number(find(query, name)), _MOST))


def read_seconds(text: str) -> int | None:
    """A whole number above 0; None if it is anything else."""
    number = _read_number(text)
    return number if 0 < number <= _MOST else None


def _read_number(text: str) -> int:
    """The number; 0 if the text is none. With too many digits, a number beyond 64 bits: ``int``
    refuses more than 4300 digits."""
    if not _NUMBER.fullmatch(text):
        return 0
    digits = text.lstrip("+-0")
    number = int(digits or "0") if len(digits) <= _MOST_DIGITS else _MOST + 1
    return -number if text[0] == "-" else number


def _decode(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")
