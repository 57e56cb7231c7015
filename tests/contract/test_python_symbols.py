"""The names that the engine looks up in the interpreter are all in its table."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[2] / "core/stackglass/native"
TABLE = NATIVE / "interpreter/python_symbols.c"
_NAME = re.compile(r'"(_?Py[A-Z_]\w+|__libc_\w+|reallocarray)"')
OTHER_TEXTS = {"PyCapsule", "_PyFuture", "_PyTask", "_PySimpleQueue"}  # types' names


def read_table() -> list[str]:
    text = TABLE.read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', text[text.index("NAMES[] = {") : text.index("N_NAMES")])


def test_every_name_in_the_sources_is_in_the_table() -> None:
    used = {name for path in NATIVE.rglob("*.c") for name in _NAME.findall(path.read_text("utf-8"))}
    assert used - OTHER_TEXTS == set(read_table())


def test_the_table_is_in_the_order_of_strcmp() -> None:
    assert read_table() == sorted(set(read_table()))
