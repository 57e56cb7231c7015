"""Wrapping of Markdown: refills paragraphs and list items that have a line which is too long.

``packaging/check.py --fix`` runs it. Tables, code blocks, headings, quotes and HTML stay as they
are; so do paragraphs whose lines are short enough. Only line ends change, never words.
"""

from __future__ import annotations

import re

from text_rules import FENCE, LONGEST_LINE, SPAN

_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
_FIXED = re.compile(r"\s*(?:[|#<>]|!\[)")
_LOOKS_LIKE_ITEM = re.compile(r"(?:[-*+#=]+|\d+[.)])$|[|>#]")
_HARD_BREAK = re.compile(r"(?:  |\\)$")


def wrap_markdown(text: str) -> str:
    """Return the text with lines of at most ``LONGEST_LINE`` columns, if that is possible."""
    wrapped: list[str] = []
    block: list[str] = []
    is_fenced = is_code = False
    for line in text.split("\n"):
        was_blank = not block and (not wrapped or not wrapped[-1].strip())
        is_fence = FENCE.match(line) is not None
        is_code = (line.startswith("    ") and (is_code or was_blank)) or (
            is_code and not line.strip()
        )
        if is_fence or is_fenced or is_code or not line.strip() or _FIXED.match(line):
            wrapped += _fill(block)
            wrapped.append(line)
            block = []
        elif _ITEM.match(line):
            wrapped += _fill(block)
            block = [line]
        else:
            block.append(line)
        is_fenced ^= is_fence
    return "\n".join(wrapped + _fill(block))


def _fill(block: list[str]) -> list[str]:
    """Return the lines of a paragraph or item, refilled if one of them is too long."""
    is_long = any(len(line) > LONGEST_LINE for line in block)
    if not is_long or any(_HARD_BREAK.search(line) for line in block):
        return block
    marker = _ITEM.match(block[0])
    indent = block[0][: len(block[0]) - len(block[0].lstrip())]
    first = marker[0] if marker else indent
    rest = " " * len(first)
    words = _split(" ".join([block[0][len(first) :], *block[1:]]))
    lines = [first + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > LONGEST_LINE and not _LOOKS_LIKE_ITEM.match(word):
            lines.append(rest + word)
        else:
            lines[-1] += f" {word}"
    return lines


def _split(text: str) -> list[str]:
    """Return the words. A link, a picture or a code span is one word with the text that touches
    it."""
    spans: list[str] = []

    def hide(match: re.Match[str]) -> str:
        spans.append(match[0])
        return f"\0{len(spans) - 1}\0"

    words = SPAN.sub(hide, " ".join(text.split())).split()
    return [re.sub("\0([0-9]+)\0", lambda each: spans[int(each[1])], word) for word in words]
