"""Rules for text: the width of Markdown lines, and words to avoid.

``packaging/check.py`` applies them. A Markdown line may be longer than ``LONGEST_LINE`` columns
only if it cannot be broken: a table row, a line of a code block, and a line that is a single word,
link, picture or code span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_LINE = 100

PLAIN_PLACES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "core/",
    "docs/",
    "packaging/",
    "tests/",
    "viewer/",
)
"""Files and folders that are checked. Add one once it has none of ``OLD_WORDS``."""

OLD_WORDS = {
    "at one go": "in one call, together",
    "likewise": "say it again in full",
    "whom": "name the holder, the waiter, the caller",
    "nobody": "no thread, none",
    "ours": "name it: Stackglass's, the engine's",
    "somebody": "name it: a thread, a client, another tool",
    "told": "reported, known, distinguished",
    "let go of": "released",
    "lets go of": "releases",
    "stroke of work": "incremental step",
}
"""Words to avoid, each with what to write instead."""

_OLD_WORDS = re.compile(rf"\b({'|'.join(OLD_WORDS)})\b", re.IGNORECASE)
SPAN = re.compile(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`")
_CODE = re.compile(r"`[^`]*`")
_MARKER = re.compile(r"[\s>]*(?:[-*+]|\d+\.)?\s*")
FENCE = re.compile(r"\s*(```|~~~)")


def find_long_lines(text: str) -> Iterator[int]:
    """Yield the numbers of Markdown lines that are too long and could be broken."""
    is_fenced, is_code, was_blank = False, False, True
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            is_fenced = not is_fenced
        is_code = line.startswith("    ") and (is_code or was_blank)
        was_blank = not line.strip() or (is_code and was_blank)
        is_exempt = is_fenced or is_code or line.lstrip().startswith("|")
        if len(line) > LONGEST_LINE and not is_exempt and not _is_one_word(line):
            yield number


def _is_one_word(line: str) -> bool:
    """Return whether a line is a single link, picture, code span or word, after its list marker."""
    rest = line[_MARKER.match(line).end() :]  # type: ignore[union-attr] # it matches everything
    return " " not in SPAN.sub("x", rest).strip()


def find_old_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and words of ``OLD_WORDS``, except in code spans, which quote names."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _OLD_WORDS.finditer(_CODE.sub("", line)):
            yield number, match[1].lower()
