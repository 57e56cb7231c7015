"""Stacks of large text as a loop in C numbered their frames: what a frame says is parsed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import list_pieces

_UNKNOWN = "<unknown>"  # py-spy writes a stack of no frames, if a thread starts or ends just then


def add_stacks(
    content: bytes | bytearray,
    lines: dict[str, Any],
    samples: FrameSamples,
    parse: Callable[[str], Symbol],
) -> Int32s:
    """The stacks of what ``_loops`` read, of the frames that this adds to ``samples``. Different
    bytes may be the same text: what is no UTF-8."""
    frames: dict[str, int] = {}
    frame_of = []
    pieces = list_pieces(content, lines["frame_begin"], lines["frame_bytes"])
    for piece, text in enumerate(pieces):
        name = _UNKNOWN if piece == lines["none"] else text.decode(errors="replace")
        if name not in frames:
            frames[name] = samples.add_frame(parse(name))
        frame_of.append(frames[name])
    stack: Int32s = np.asarray(lines["stack"])
    return stack if len(frames) == len(frame_of) else np.array(frame_of, np.int32)[stack]
