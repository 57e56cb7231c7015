"""Labels as text: ``{route: /a, tenant: "two words"}``, as Go prints them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS = frozenset(' "\\{},:')


def quote_labels(labels: Iterable[tuple[str, str]]) -> str:
    """The labels sorted by key. A text is quoted, unless it is of visible ASCII without marks."""
    pairs = (f"{_quote(key)}: {_quote(value)}" for key, value in sorted(labels))
    return f"{{{', '.join(pairs)}}}"


def _quote(text: str) -> str:
    is_visible = text != "" and text.isascii() and text.isprintable()
    if is_visible and not _MARKS & set(text):
        return text
    import json  # seldom used, and slow to load

    return json.dumps(text)
