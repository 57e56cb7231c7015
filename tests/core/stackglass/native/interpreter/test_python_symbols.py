"""Symbols of the interpreter: each name that the engine looks up is in the list of names."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[5] / "core/stackglass/native"


def read_names() -> list[str]:
    """The list, in its order."""
    source = (NATIVE / "interpreter/python_symbols.c").read_text()
    start = source.index("NAMES[] = {")
    return re.findall(r'"(\w+)",', source[start : source.index("};", start)])


def test_names_are_in_the_order_of_strcmp() -> None:
    """They are searched by halves."""
    names = read_names()
    assert len(names) > 80
    assert names == sorted(set(names), key=str.encode)


def test_each_name_that_is_looked_up_is_listed() -> None:
    """A name that is not listed counts as one that the interpreter does not export."""
    looked_up = {
        name
        for path in NATIVE.rglob("*.c")
        if path.name != "python_symbols.c"
        if '"interpreter/python_symbols.h"' in (source := path.read_text())
        for name in re.findall(r'"(_?Py[A-Za-z]*_\w+|_PyRuntime)"', source)
    }
    assert len(looked_up) > 50
    assert looked_up - set(read_names()) == set()
