"""Writer of collapsed stacks: one line per stack, root first, with its value. Labels are left
out."""

from __future__ import annotations

import re

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.frames import UNKNOWN, FrameTable, name_frames
from stackglass_viewer.model.profile.profile import Profile, Samples
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.recognition import recognise
from stackglass_viewer.model.readers.text_recognition import COLLAPSED_MARK
from stackglass_viewer.model.writers.frame_stacks import NO_STACK, list_stacks

_REPLACED = str.maketrans(dict.fromkeys(";\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029", ":"))
_NUMBER_AT_END = re.compile(r"\s+(?=[-+]?[\d.]+$)")


def write_collapsed(profile: Profile, sample_type: TypeId) -> bytes:
    """Return the file: stacks in the order of their first sample; those with a sum of 0 are left
    out.

    If all stacks have one frame, the file might be any text, and if a name looks like another
    format, it might be that; such a file begins with a comment. ``;`` separates frames; in names it
    is replaced by ``:``, and so are line breaks. A stack that would begin with ``#``, like a
    comment, begins with ``_#``. A number at the end of a line's last frame would be read as the
    first of two values, so ``job 1`` becomes ``job:1`` if it is such a frame.
    """
    frames = name_frames(profile)
    names = [name.translate(_REPLACED).strip() or UNKNOWN for name in frames.name]
    for frame in _list_leaves(profile.samples, frames):
        names[frame] = _NUMBER_AT_END.sub(":", names[frame])
    sums: dict[str, int] = {}
    values = profile.samples.values[sample_type].tolist()
    for stack, value in zip(list_stacks(profile.samples, frames), values, strict=True):
        line = ";".join([names[frame] for frame in stack]) or NO_STACK
        sums[line] = sums.get(line, 0) + value
    lines = [f"{_unlike_comment(line)} {value}\n" for line, value in sums.items() if value]
    content = "".join(lines).encode(errors="replace")
    if not content or recognise(content) is FileKind.COLLAPSED:
        return content
    return f"{COLLAPSED_MARK}\n".encode() + content


def _unlike_comment(line: str) -> str:
    return f"_{line}" if line.startswith("#") else line


def _list_leaves(samples: Samples, frames: FrameTable) -> list[int]:
    """Return the frames that are the innermost of a sample."""
    start = samples.stack_start
    locations = samples.stack[start[:-1][np.diff(start) > 0]]
    leaves: list[int] = np.unique(frames.line_frame[frames.line_start[locations]]).tolist()
    return leaves
