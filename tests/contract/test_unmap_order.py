"""What a child that is forked at any moment finds: no pointer to memory that was unmapped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "core/stackglass/native"
UNMAP = re.compile(r"\bsg_memory_unmap\(([^,;]+),")


def find_late_clears(text: str) -> list[str]:
    """The pointers that a function sets to NULL only after it has unmapped their memory."""
    late = []
    for function in text.split("\n}\n"):
        for unmapped in UNMAP.finditer(function):
            pointer = unmapped[1].rpartition(")")[2].strip()
            if re.search(
                rf"(?<![\w>.]){re.escape(pointer)} = (NULL|\w+.* = NULL);",
                function[unmapped.end() :],
            ):
                late.append(pointer)
    return late


@pytest.mark.parametrize("clear", ["at->rows = NULL;", "at->rows = at->names = NULL;"])
def test_a_late_clear_is_found(clear: str) -> None:
    before = "void f(void) {\n    sg_memory_unmap((void *)at->rows, 8);\n    "
    assert find_late_clears(f"{before}{clear}\n}}\n") == ["at->rows"]


def test_no_pointer_is_cleared_after_its_memory_is_unmapped() -> None:
    late = {
        str(path.relative_to(NATIVE)): found
        for path in sorted(NATIVE.rglob("*.c"))
        if (found := find_late_clears(path.read_text()))
    }
    assert late == {}
