"""Reader of collapsed stacks, root first, as flame graph scripts, py-spy and memray write them.

::

    MainThread;main (app.py:12);work (app.py:3) 57
    main;work;read_[k] 12 9            two values in every line: before and after, of difffolded.pl
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import parse_symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
)

_VALUE = rb"\s+(-?\d{1,20}(?:\.\d{1,20})?)"
_ROWS = {n: re.compile(rb"(.*)" + _VALUE * n + rb"\s*") for n in (1, 2)}
_TYPES = {
    1: (SampleType("samples", "count"),),
    2: (SampleType("before", "count"), SampleType("after", "count")),
}
_UNKNOWN = "<unknown>"  # py-spy writes a stack of no frames, if a thread starts or ends just then
_FRACTIONS = "it has values with fractions, which are rounded"


def read_collapsed(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError, with the line that cannot be read."""
    n_values = (
        2 if all(_ROWS[2].fullmatch(line) for _, line in _list_rows(content, progress)) else 1
    )
    samples = FrameSamples()
    frames: dict[str, int] = {}
    has_fractions = False
    for number, line in _list_rows(content, progress):
        row = _ROWS[n_values].fullmatch(line)
        if row is None:
            text = line[:60].decode(errors="replace")
            raise ProfileError(f"line {number} is not a stack: {text!r}")
        names, *values = row.groups()
        has_fractions |= any(b"." in value for value in values)
        stack = []
        for name in (names.decode(errors="replace") or _UNKNOWN).split(";"):
            if name not in frames:
                frames[name] = samples.add_frame(parse_symbol(name))
            stack.append(frames[name])
        samples.add([_parse_value(value) for value in values], stack[::-1])
    return samples.build(_TYPES[n_values], warnings=(_FRACTIONS,) if has_fractions else ())


def _list_rows(content: bytes | bytearray, progress: Progress) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(list_lines(content, progress), 1):
        if line.strip() and not line.startswith(b"#"):
            yield number, line


def _parse_value(text: bytes) -> int:
    return round(float(text)) if b"." in text else int(text)
