"""A function's place as V8 writes it in its profiles: ``callFrame``."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from stackglass_viewer.model.readers.sample_columns import Symbol

ROOT = "(root)"


def parse_call_frame(frame: dict[str, Any]) -> Symbol:
    """Lines are from 0 there, and files are URLs."""
    line = frame.get("lineNumber", -1)
    return Symbol(
        str(frame["functionName"]) or "(anonymous)",
        unquote(str(frame.get("url") or "").removeprefix("file://")),
        line + 1 if isinstance(line, int) and -1 <= line < 2**31 else 0,
    )
