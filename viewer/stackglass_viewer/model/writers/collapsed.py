"""Writer of collapsed stacks: one line per stack, root first, with its value. Labels are left
out."""

from __future__ import annotations

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.writers.frame_stacks import NO_STACK, list_stacks

MARK = "# collapsed stacks"
"""First line of a file whose stacks all have one frame: without it, the file could be any text."""

_REPLACED = str.maketrans(dict.fromkeys(";\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029", ":"))


def write_collapsed(profile: Profile, sample_type: TypeId) -> bytes:
    """Return the file: stacks in the order of their first sample; those with a sum of 0 are left
    out.

    If all stacks have one frame, the file might be any text, so it begins with a comment. ``;``
    separates frames; in names it is replaced by ``:``, and so are line breaks. A stack that would
    begin with ``#``, like a comment, begins with ``_#``.
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
