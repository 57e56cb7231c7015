"""Suggested names of files, made of a title and the time."""

from __future__ import annotations

import re
import time
from pathlib import Path

_NOT_IN_A_NAME = re.compile(r"[^\w.+=@-]+")
_NAMELESS = "stackglass"
_ENDINGS = (".gz", ".pb", ".py", ".sgm", ".txt")
_MOST_BYTES = 200  # of a name without time and ending; file systems take 255 for all
_STAMP = re.compile(r"-\d{8}-\d{6}(-\d+)?$")


def suggest_path(title: str, ending: str) -> str:
    """Return a path in the current folder, made of ``title``, the time and ``ending``.

    The title may be a path, a program with its PID, or empty; a long one is cut. If it ends with a
    time, as the name of a saved file does, that time is enough, unless there is such a file.
    """
    words = " ".join(_drop_endings(word) for word in Path(title).name.split())
    name = _cut(_NOT_IN_A_NAME.sub("-", words)).strip("-.")
    folder = _find_folder()
    stamped = folder / f"{name}{ending}"
    if _STAMP.search(name) and not stamped.exists():
        return str(stamped)
    return str(folder / f"{name or _NAMELESS}-{time.strftime('%Y%m%d-%H%M%S')}{ending}")


def _find_folder() -> Path:
    """Return the current folder; the user's own if another program has removed that."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path.home()


def _cut(name: str) -> str:
    return name.encode(errors="replace")[:_MOST_BYTES].decode(errors="ignore")


def _drop_endings(word: str) -> str:
    """Remove endings from a word of a title: it may name files, ``base.pb.gz → new.pb.gz``."""
    for known in _ENDINGS:
        word = word.removesuffix(known)
    return word
