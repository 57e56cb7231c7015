"""Stacks of large text. A loop in C has numbered the frames; each distinct frame is parsed once."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import list_pieces

_UNKNOWN = "<unknown>"  # py-spy writes a stack of no frames, if a thread starts or ends just then

_REPLACED = "\ufffd"  # replaces bytes that are not UTF-8


def add_stacks(
    content: bytes | bytearray,
    lines: dict[str, Any],
    samples: FrameSamples,
    parse: Callable[[str], Symbol],
) -> Int32s:
    """Add the frames of ``lines``, the result of a loop, to ``samples``, and return the stacks.
    Different pieces may become the same text, because invalid UTF-8 is replaced."""
    frame_of = array("i")  # by piece; a dictionary of all texts would double the memory
    odd: dict[str, int] = {}  # frames of texts that several pieces may become
    pieces = list_pieces(content, lines["frame_begin"], lines["frame_bytes"])
    for piece, text in enumerate(pieces):
        name = _UNKNOWN if piece == lines["none"] else text.decode(errors="replace")
        frame = odd.get(name)
        if frame is None:
            frame = samples.add_frame(parse(name))
            if name == _UNKNOWN or _REPLACED in name:
                odd[name] = frame
        frame_of.append(frame)
    stack: Int32s = np.asarray(lines["stack"])
    return stack if samples.n_frames == len(frame_of) else np.array(frame_of, np.int32)[stack]
