"""Mutation of JSON documents: values of other types, extreme values, missing keys, doubled rows.

Changed bytes mostly give invalid JSON, which the parser refuses before a reader sees it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**63), 1e308, -1e308, 1e-308),
    *(0.5, "", "main", "\ud800", "(root)", "9" * 40, [], {}, [[]], [None], {"a": 1}),
    *(float("inf"), float("nan")),
)
_MOST_PLACES = 5000


def mutate_json(content: bytes, rng: random.Random) -> bytes | None:
    """Return a changed document; None = the content is not a JSON object or list."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_list_places(document))
        if not places:
            return None
        _change(*rng.choice(places), places, rng)
    try:
        return json.dumps(document, separators=(",", ":")).encode()
    except RecursionError:
        return None


def _list_places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of each value."""
    waiting = [document]
    n = 0
    while waiting and n < _MOST_PLACES:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if _is_list(node) else ()
        for key in keys:
            n += 1
            yield node, key
            waiting.append(node[key])


def _is_list(node: Any) -> bool:
    return isinstance(node, list)


def _change(node: Any, key: Any, places: list[tuple[Any, Any]], rng: random.Random) -> None:
    how = rng.randrange(5)
    if how == 0:
        del node[key]
    elif how == 1:
        other, other_key = rng.choice(places)
        node[key] = _copy(other[other_key])
    elif how == 2 and _is_list(node):
        node.insert(key, _copy(node[key]))
    elif how == 3 and isinstance(node[key], (int, float)):
        node[key] = node[key] * rng.choice((-1, 2, 1000)) + rng.choice((-1, 0, 1))
    else:
        node[key] = _copy(rng.choice(_VALUES))


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))
