"""Plain imports: takes back PySide's replacement of ``__import__``.

PySide replaces it to offer features such as ``from __feature__ import snake_case``, which are not
used here. The replacement reads the source of every module that is imported, to look for the word
"PySide6" in it, and ``linecache`` keeps those sources: 21 MB.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - it replaces ``__import__``


def restore_import() -> None:
    """Restore the ``__import__`` that PySide has replaced, unless it was replaced again since."""
    known = vars(builtins)
    if "__orig_import__" in known and known["__import__"] is known.get("__feature_import__"):
        known["__import__"] = known["__orig_import__"]
