"""Reader of callgrind's format, as valgrind, xdebug, yappi and ``pprof -callgrind`` write it.

::

    events: Ir Dr
    fl=(1) app.c        file, function; a number in brackets stands for a name given once
    fn=(1) main
    16 400 20           line, then a cost for each event: main itself
    cfn=(2) work
    calls=3 9           main calls work, which begins in line 9, three times …
    +2 900 40           … from line 18; these are the costs of all three calls

cachegrind's files are the same without calls. `callgrind.c` reads the lines, since there may be
many millions; each header and each distinct name is read here, once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.callgrind_headers import REMEDY, Headers, refuse_line
from stackglass_viewer.model.readers.callgrind_names import name_functions
from stackglass_viewer.model.readers.function_costs import FunctionCosts
from stackglass_viewer.model.readers.text_pieces import REPLACED, list_texts, report_to
from stackglass_viewer.model.readers.text_rows import (
    CUT_LINE,
    MOST_LINE_BYTES,
    Progress,
    ignore_progress,
    warn_of_cut,
)
from stackglass_viewer.native import _loops

# The last line of a whole file: costs, or if there is no function, the events.
_LAST_OF_YAPPI = re.compile(rb"\d+ \d+|events: Ticks")
_NO_EVENTS = 'it is callgrind\'s format, but has no line "events:" that says what is measured'
# By number of enum sg_callgrind_fault in callgrind_names.h.
_REASONS = (
    "",
    'should hold the costs of the calls in the line above ("calls=…")',
    'does not begin with a line number, or the columns that "positions:" lists',
    'has more costs than "events:" lists',
    "has a cost that is not a number",
    'has costs, but no line above names their function ("fn=…")',
    'counts calls, but no line above names the called function ("cfn=…")',
    'names a function before "events:" says what is measured',
    "has a number above 9223372036854775807, or costs that add up to more",
    "has more functions and calls, with a cost for each event, than a file of this size may have",
    "has a number in brackets for an object that no line above names",
    "has a number in brackets for a file that no line above names",
    "has a number in brackets for a function that no line above names",
)


def read_callgrind(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> FunctionTable:
    """Read a whole file. Raises ContentError, with the line that cannot be read."""
    headers, columns = _read_lines(content, np.zeros(0, dtype=np.int32), progress)
    texts = _decode_texts(content, columns)
    if _has_equal(texts):
        headers, columns = _read_lines(content, _find_aliases(texts), progress)
        texts = _decode_texts(content, columns)
    return _build(content, headers, columns, texts)


def _read_lines(
    content: bytes | bytearray, alias: Int32s, progress: Progress
) -> tuple[Headers, dict[str, Any]]:
    """Return the headers, and the columns by name. ``alias``: see `_loops.read_callgrind`."""
    headers = Headers(content)
    columns, (fault, line_number, begin, end), n_bytes, is_in_call = _loops.read_callgrind(
        content, alias, headers.read, report_to(progress)
    )
    if fault:
        raise refuse_line(line_number, _REASONS[fault], bytes(content[begin:end].strip()))
    if n_bytes:
        raise ContentError(f"it has a line of {n_bytes} bytes")
    if not headers.events:
        raise ContentError(_NO_EVENTS, REMEDY)
    if is_in_call:
        raise ContentError("it is truncated: it ends before the costs of a call", REMEDY)
    return headers, columns


def _decode_texts(content: bytes | bytearray, columns: dict[str, Any]) -> Sequence[str]:
    return list_texts(content, columns.pop("text_start"), columns.pop("text_length"))


def _has_equal(texts: Sequence[str]) -> bool:
    """Whether texts with different invalid bytes have become equal."""
    replaced, table = [text for text in texts if REPLACED in text], _loops.Texts()
    return [*map(table.add, replaced)] != [*range(len(replaced))]


def _find_aliases(texts: Sequence[str]) -> Int32s:
    """Return, by number of a text, the number of the first text equal to it."""
    table, first = _loops.Texts(), array("i")  # by number in the table: number of the first text
    alias = np.empty(len(texts), dtype=np.int32)
    for number, text in enumerate(texts):
        of_table = table.add(text)
        if of_table == len(first):
            first.append(number)
        alias[number] = first[of_table]
    return alias


def _build(
    content: bytes | bytearray, headers: Headers, columns: dict[str, Any], texts: Sequence[str]
) -> FunctionTable:
    n_events = len(headers.events)
    keys = ("object", "file", "name")
    names, files = name_functions(texts, *(np.asarray(columns.pop(key)) for key in keys))
    costs = FunctionCosts(
        name=names,
        file=files,
        line=np.asarray(columns["line"]),
        own=np.asarray(columns["own"]).reshape(-1, n_events).T,
        caller=np.asarray(columns["caller"]),
        callee=np.asarray(columns["callee"]),
        n_calls=np.asarray(columns["n_calls"]),
        caused=np.asarray(columns["caused"]).reshape(-1, n_events).T,
    )
    return costs.build(
        [event.type for event in headers.events],
        "callgrind",
        comments=headers.remarks,
        warnings=(*_warn_of_cut(content, headers), *_compare_sums(headers, costs)),
        has_all_callees=headers.is_valgrind,
    )


def _warn_of_cut(content: bytes | bytearray, headers: Headers) -> tuple[str, ...]:
    """Return a warning if the last line has no end. yappi never ends it: its file is cut if the
    last line has no costs."""
    if not headers.is_yappi:
        return warn_of_cut(content)
    last = bytes(content[-MOST_LINE_BYTES:]).rstrip().rpartition(b"\n")[2]
    return () if _LAST_OF_YAPPI.fullmatch(last) else (CUT_LINE,)


def _compare_sums(headers: Headers, costs: FunctionCosts) -> tuple[str, ...]:
    """Return a warning if the costs of the first event differ from the sum in the file, or if there
    is no sum: cachegrind writes it last."""
    if headers.is_valgrind and not headers.has_sum:
        return ("it has no summary, the last line that valgrind writes: is it whole?",)
    named, found = headers.named_sum, costs.sum_own(0)
    if not headers.is_valgrind or not named or named == found:
        return ()
    name = headers.events[0].type.name
    return (f"its costs of {name} add up to {found}, not {named} as it says: is it whole?",)
