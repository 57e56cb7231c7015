"""Rules for text: the width of Markdown lines, and words that plain English does without.

``packaging/check.py`` runs both. A Markdown line may be longer than ``LONGEST_LINE`` columns only
where it cannot be broken: a table row, a line of a code block, and a line that is a single word,
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
    "core/stackglass/README.md",
    "core/stackglass/api/",
    "core/stackglass/attach/",
    "core/stackglass/commands/",
    "core/stackglass/native/agent/",
    "core/stackglass/native/wire/",
    "core/stackglass/native/worker/",
    "core/stackglass/record/",
    "core/stackglass/waits/",
    "core/stackglass/wire/",
    "docs/README.md",
    "docs/benchmarks.md",
    "docs/contended-programs.md",
    "docs/how-it-works.md",
    "docs/limits.md",
    "docs/real-programs.md",
    "docs/safety.md",
    "docs/status.md",
    "docs/troubleshooting.md",
    "docs/user-guide.md",
    "packaging/",
    "viewer/stackglass_viewer/",
)
"""Files and folders in plain English. Add one here once none of ``OLD_WORDS`` is left in it."""

OLD_WORDS = {
    "at one go": "in one call, together",
    "likewise": "say it again in full",
    "whom": "name the holder, the waiter, the caller",
    "nobody": "no thread, none",
    "is told": "is reported",
    "are told": "are reported",
    "was told": "was reported",
    "were told": "were reported",
    "been told": "been reported",
    "told of": "reported",
    "told apart": "distinguished",
    "not told": "not reported",
    "let go of": "released",
    "lets go of": "releases",
    "stroke of work": "incremental step",
}
"""Words to avoid, each with what to write instead."""

_OLD_WORDS = re.compile(rf"\b({'|'.join(OLD_WORDS)})\b", re.IGNORECASE)
SPAN = re.compile(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`")
_MARKER = re.compile(r"[\s>]*(?:[-*+]|\d+\.)?\s*")
FENCE = re.compile(r"\s*(```|~~~)")


def find_long_lines(text: str) -> Iterator[int]:
    """Numbers of the Markdown lines that are too long and could be broken."""
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
    """Whether a line is a single link, picture, code span or word, after its list marker."""
    rest = line[_MARKER.match(line).end() :]  # type: ignore[union-attr] # it matches everything
    return " " not in SPAN.sub("x", rest).strip()


def find_old_words(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers and words of ``OLD_WORDS``."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _OLD_WORDS.finditer(line):
            yield number, match[1].lower()
