"""Regular expressions out of files: matched whole, and in bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable

from stackglass_viewer.model.errors import ProfileError

_MAX_CHARS = 20_000
_QUANTIFIER = re.compile(r"[*+?{]")
_IN_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_ESCAPED = re.compile(r"\\.")


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """A test whether a whole text matches. Raises ProfileError.

    pprof's own engine takes linear time whatever the pattern; Python's may take exponential time
    where something repeated repeats, and a file may be made for that. Such patterns are refused.
    """
    if len(pattern) > _MAX_CHARS or _is_risky(pattern):
        raise ProfileError("its pattern of frames to drop or keep is too complex")
    try:
        match = re.compile(pattern).fullmatch
    except re.error as error:
        raise ProfileError(
            f"its pattern of frames to drop or keep is not a regular expression: {error}"
        ) from None
    return lambda text: match(text) is not None


def _is_risky(pattern: str) -> bool:
    """Whether a group is repeated, or one alternative repeats more than a few things."""
    plain = _ESCAPED.sub("x", pattern)
    plain = _IN_CLASS.sub("x", plain)
    if re.search(r"\)[*+{]", plain):
        return True
    return any(len(_QUANTIFIER.findall(part)) > 3 for part in re.split(r"[|()]", plain))
