"""Writer of collapsed stacks: a stack in a line, root first, and its value. Labels are left out."""

from __future__ import annotations

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.frames import name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.writers.frame_stacks import NO_STACK, list_stacks

MARK = "# collapsed stacks"
"""The first line where no stack shows by its callers what the file is."""

_REPLACED = str.maketrans(dict.fromkeys(";\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029", ":"))


def write_collapsed(profile: Profile, sample_type: TypeId) -> bytes:
    """The file: stacks in the order of their first sample, those with a sum of 0 left out.

    A file whose stacks all have one frame, which might be any text, begins with a comment.

    ``;`` separates frames, so in names it is ``:``; so are breaks of lines. A stack that would
    begin with ``#``, as a comment does, begins with ``_#``.
    """
    frames = name_frames(profile)
    names = [name.translate(_REPLACED).strip() for name in frames.name]
    sums: dict[str, int] = {}
    values = profile.samples.values[sample_type].tolist()
    for stack, value in zip(list_stacks(profile.samples, frames), values, strict=True):
        line = ";".join([names[frame] for frame in stack]) or NO_STACK
        sums[line] = sums.get(line, 0) + value
    lines = [f"{_unlike_comment(line)} {value}\n" for line, value in sums.items() if value]
    if lines and not any(";" in line for line in lines):
        lines.insert(0, f"{MARK}\n")
    return "".join(lines).encode(errors="replace")


def _unlike_comment(line: str) -> str:
    return f"_{line}" if line.startswith("#") else line
