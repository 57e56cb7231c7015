"""Stacks of a large text: a loop in C has numbered the frames; each distinct one is parsed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import list_pieces, number_texts

_UNKNOWN = "<unknown>"  # py-spy writes no frames for a thread that is just starting or ending


def add_stacks(
    content: bytes | bytearray,
    lines: dict[str, Any],
    samples: FrameSamples,
    parse: Callable[[str], Symbol],
) -> Int32s:
    """Add the frames of ``lines``, the result of a loop, to ``samples``, and return the stacks.
    Different pieces may become the same text, because invalid UTF-8 is replaced."""
    pieces = list_pieces(content, lines.pop("frame_begin"), lines.pop("frame_bytes"))
    none = lines["none"]
    frames = number_texts(
        (
            _UNKNOWN if piece == none else text.decode(errors="replace")
            for piece, text in enumerate(pieces)
        ),
        lambda name: samples.add_frame(parse(name)),
        _UNKNOWN,
    )
    stack: Int32s = np.asarray(lines.pop("stack"))
    return stack if samples.n_frames == len(frames) else frames[stack]
