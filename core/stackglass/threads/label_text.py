"""Labels as text: ``{route: /a, tenant: "two words"}``, as Go prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[!-~]+")  # visible ASCII
_MARKS = frozenset('"\\{},:')


def quote_labels(labels: Iterable[tuple[str, str]]) -> str:
    """Sorted by key; in quotes where a text is empty, or more than visible ASCII without marks."""
    pairs = (f"{_quote(key)}: {_quote(value)}" for key, value in sorted(labels))
    return f"{{{', '.join(pairs)}}}"


def _quote(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) is not None and not _MARKS & set(text)
    if is_plain:
        return text
    import json  # seldom used, and slow to load

    return json.dumps(text)
