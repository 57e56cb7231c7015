"""Reader of Go's dumps of goroutines: ``debug=2``, and what a panic or SIGQUIT prints.

::

    goroutine 18 [chan receive, 5 minutes]:
    main.worker(0xc000012345, ...)
        /src/main.go:230 +0x58
    created by main.start in goroutine 1
        /src/main.go:12 +0x1d

Each goroutine is a sample. Labels are its number, its state, the minutes that it has waited, and
the function that created it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.dump_labels import list_state_labels
from stackglass_viewer.model.readers.dumped_stack import DumpForm, read_dump
from stackglass_viewer.model.readers.sample_columns import Label
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, warn_of_cut

_HEADER = re.compile(r"goroutine (\d{1,18})(?: [^\[\n]*)? \[([^\]\n]*)\](?:.*)?:")
_BEGINNING = re.compile(
    rb"(?:(?:panic:|fatal error:|runtime:|SIG[A-Z]+:)[^\0]*?\n)?goroutine \d+ (?:[^\[\n]* )?\["
)

_CALL = re.compile(rb"created by \S.*|[^\s()]+\.\S+\([^()]*\)")
_LONGEST_CALL = 1 << 16  # bytes


def is_goroutine_dump(head: bytes) -> bool:
    """Whether a file begins like a dump of goroutines."""
    return _BEGINNING.match(head) is not None


def read_goroutine_dump(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> Profile:
    """Read a whole dump. Lines outside of goroutines are skipped. Raises ContentError, also if
    there is no goroutine."""
    profile = read_dump(content, progress, DumpForm.GOROUTINES, _read_header, "goroutine")
    return replace(profile, warnings=(*_warn_of_end(content), *profile.warnings))


def _warn_of_end(content: bytes | bytearray) -> tuple[str, ...]:
    """Return a warning if the last line has no end, or is a call without its place below it."""
    last = bytes(content[-_LONGEST_CALL:]).rstrip().rpartition(b"\n")[2]
    if content.endswith(b"\n") and _CALL.fullmatch(last):
        return ("its last stack has no end: is it whole?",)
    return warn_of_cut(content)


def _read_header(text: str, _start: int) -> list[Label] | None:
    header = _HEADER.fullmatch(text)
    if header is None:
        return None
    return [Label("goroutine", None, int(header[1])), *list_state_labels(header[2])]
