"""Parser of ``callFrame``, the place of a function in V8's profiles."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from stackglass_viewer.model.readers.sample_columns import Symbol

ROOT = "(root)"


def parse_call_frame(frame: dict[str, Any]) -> Symbol:
    """Return the function of a ``callFrame``. Its line counts from 0, and its file is a URL."""
    line = frame.get("lineNumber", -1)
    return Symbol(
        str(frame["functionName"]) or "(anonymous)",
        unquote(str(frame.get("url") or "").removeprefix("file://")),
        line + 1 if isinstance(line, int) and -1 <= line < 2**31 else 0,
    )
