"""Names of boxes for small graphs: broken into lines, as large as their boxes allow.

Where a graph is so small that a box's figures cannot be read, its name can still be: it has the
whole box, which is as wide as the name in one line of the smallest text.

    ┌──────────────────────┐        ┌──────────────────────┐
    │     json.encoder     │        │  JSONEncoder         │
    │JSONEncoder.iterencode│   ─▶   │     .iterencode      │
    │    133 ms · 3.9%     │        │                      │
    └──────────────────────┘        └──────────────────────┘
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

_MOST_LINES = 3
_STEP = 0.125  # of scales: each is a font of its own
_PART = re.compile(r"\.?_*[^._]*_*")  # a name breaks before a dot and behind a word's underscores


@dataclass(frozen=True, slots=True)
class BoxName:
    """A name in lines, and the scale of its text."""

    lines: tuple[str, ...]
    scale: float  # 1 = the smallest text of a box that is shown whole


def fit_name_in_box(
    name: str, width: float, height: float, char_size: tuple[float, float], most: float
) -> BoxName:
    """Break a name so that its text is as large as possible in ``width`` × ``height``, up to the
    scale ``most``: without it, short names would look important.

    ``char_size``: width and height of a letter at scale 1, in the unit of the box.

    >>> fit_name_in_box("Thread._bootstrap", 154, 64, (7, 16), 3)
    BoxName(lines=('Thread', '._bootstrap'), scale=2.0)
    """
    parts = [part for part in _PART.findall(name) if part] or [name]
    fitted = []
    for n_lines in range(1, min(_MOST_LINES, len(parts)) + 1):
        lines = _break(parts, n_lines)
        longest = max(map(len, lines)) or 1
        scale = min(width / (longest * char_size[0]), height / (len(lines) * char_size[1]), most)
        fitted.append(BoxName(lines, floor(scale / _STEP) * _STEP))
    return max(fitted, key=lambda each: each.scale)


def _break(parts: Sequence[str], n_lines: int) -> tuple[str, ...]:
    """Return at most ``n_lines`` lines; the longest is as short as possible."""
    limit = max(max(map(len, parts)), -(-sum(map(len, parts)) // n_lines))
    while True:
        lines = [""]
        for part in parts:
            if len(lines[-1]) + len(part) <= limit:
                lines[-1] += part
            else:
                lines.append(part)
        if len(lines) <= n_lines:
            return tuple(lines)
        limit += 1
