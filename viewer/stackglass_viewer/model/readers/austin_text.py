"""Reader of Austin's text.

::

    # mode: wall
    P4711;T0:4712;app.py:main:12;app.py:work:7 520

    process; interpreter and thread; file, function and line, root first; µs, bytes in the mode
    memory, and ``µs,idle,bytes`` in the mode full; mojo2austin writes times alone for it
"""

from __future__ import annotations

import re

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.austin_samples import (
    COLLECTOR,
    INVALID,
    AustinSamples,
    Metrics,
)
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
)

_REMARK = re.compile(r"# (\w+): (.*)")
_ROW = re.compile(r"P(\d{1,19});T([\w:]{1,64})((?:;.*)?) (-?\d{1,18})(?:,([01]),(-?\d{1,18}))?")
_MARKS = {":INVALID:": INVALID, ":GC:": COLLECTOR}
_MAX_LINE = 2**31


def read_austin_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError, with the line that cannot be read."""
    samples = AustinSamples(len(content))
    places: dict[str, int] = {}
    metadata: dict[str, str] = {}
    is_first = True
    for number, line in enumerate(list_lines(content, progress), 1):
        text = line.decode(errors="replace").strip()
        if not text:
            continue
        if remark := _REMARK.fullmatch(text):
            metadata[remark[1]] = remark[2]
            continue
        row = _ROW.fullmatch(text)
        if is_first and row is not None and row[6] is None and metadata.get("mode") == "full":
            metadata["mode"] = "wall"
        is_first = False
        if row is None or (row[6] is None) == (metadata.get("mode") == "full"):
            raise ProfileError(f"line {number} is not a sample of Austin: {text[:60]!r}")
        stack = []
        for frame in row[3].split(";")[1:]:
            if frame not in places:
                places[frame] = samples.add_frame(_parse_frame(frame))
            stack.append(places[frame])
        try:
            samples.add(row[1], row[2], stack, _parse_metrics(row, metadata.get("mode", "")))
        except (ValueError, OverflowError):
            raise ProfileError(f"line {number} has more than can be held: {text[:60]!r}") from None
    is_cut = not content.endswith(b"\n")
    warnings = ("its last line has no end: is it whole?",) if is_cut else ()
    try:
        return samples.build(metadata, warnings)
    except ValueError as error:
        raise ProfileError(f"it is Austin's format, of an {error}") from None


def _parse_metrics(row: re.Match[str], mode: str) -> Metrics:
    first = int(row[4])
    if mode == "memory":
        return Metrics(0, first)
    return Metrics(first, int(row[6] or 0), is_idle=row[5] == "1")


def _parse_frame(text: str) -> Symbol:
    if text in _MARKS:
        return _MARKS[text]
    parts = text.rsplit(":", 2)
    if len(parts) < 3 or not parts[2].isdecimal() or len(parts[2]) > 10:
        return Symbol(text, "", 0)
    line = int(parts[2])
    return Symbol(parts[1], parts[0], line if line < _MAX_LINE else 0)
