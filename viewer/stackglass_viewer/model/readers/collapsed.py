"""Reader of collapsed stacks, root first, as flame graph scripts, py-spy and memray write them.

::

    MainThread;main (app.py:12);work (app.py:3) 57
    main;work;read_[k] 12 9            two values a line, before and after, by difffolded.pl

A loop in C reads the lines and numbers their frames; each distinct frame is parsed here, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.prepared_rows import StackRows
from stackglass_viewer.model.readers.sample_columns import check_values, parse_symbol
from stackglass_viewer.model.readers.text_pieces import list_rows, refuse_long_line, report_to
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress
from stackglass_viewer.model.readers.text_stacks import add_stacks
from stackglass_viewer.native import _loops

_TYPES = {
    1: (SampleType("samples", "count"),),
    2: (SampleType("before", "count"), SampleType("after", "count")),
}
_FRACTIONS = "it has values with fractions, which are rounded"


def read_collapsed(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    n_values = 2
    lines = _loops.read_stack_lines(content, n_values, report_to(progress))
    if lines["misfit_number"]:
        lines.clear()  # frees the memory before the second read
        n_values = 1
        lines = _loops.read_stack_lines(content, n_values, report_to(progress))
    values = _read_values(content, lines, n_values)
    if number := lines["misfit_number"]:
        text = bytes(content[lines["misfit_begin"] : lines["misfit_end"]])[:60]
        raise ContentError(f"line {number} is not a stack: {text.decode(errors='replace')!r}")
    refuse_long_line(lines["refused_bytes"])
    samples = FrameSamples()
    stack = add_stacks(content, lines, samples, parse_symbol)
    return samples.build(
        _TYPES[n_values],
        warnings=(_FRACTIONS,) if lines["has_fractions"] else (),
        rows=StackRows(np.asarray(lines["stack_start"]), stack, values),
    )


def _read_values(content: bytes | bytearray, lines: dict[str, Any], n_values: int) -> Int64s:
    """Return the values, (n_values, n_rows). Raises ContentError for a value that a column cannot
    hold."""
    columns = [np.asarray(lines.pop(f"value_{each}")) for each in range(n_values)]
    values = columns[0].reshape(1, -1) if n_values == 1 else np.stack(columns)
    for row, begin, end in list_rows(*(lines[f"odd_{each}"] for each in ("row", "begin", "end"))):
        texts = bytes(content[begin:end]).rsplit(None, n_values)[-n_values:]
        numbers = [*map(_parse_value, texts)]
        check_values(numbers)
        if not values.flags.writeable:
            values = values.copy()
        values[:, row] = numbers
    return values


def _parse_value(text: bytes) -> int:
    return round(float(text)) if b"." in text else int(text)
