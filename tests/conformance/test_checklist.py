"""Every number of the specification's checklist that this version promises has a test.

A test claims a number in its name (``test_17_…``) or its docstring (``Checklist 12, 14``). Numbers
of profiles that do not exist yet are promised later and not looked for.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from harness.report import Table

TESTS = Path(__file__).resolve().parents[1]
PROMISED = range(1, 78)
WITHOUT_TEST = {
    4: "follows from 3 (the total is the CPU time that the kernel accounts) on a build with a GIL",
    8: "the second start is refused by the in-process interface; see tests/core/stackglass/engine",
    10: "changed on purpose: a live rate may change at any time (DESIGN, decision 8)",
    27: "Go's ring buffer; here a double-buffered log, tested beside it",
    28: "as 27",
    29: "as 27",
    30: "as 27: the writer wakes by the clock",
    31: "as 27",
    32: "the legacy binary format is written and read in a later version",
    33: "as 32",
    34: "as 32",
    35: "as 32",
}
_CLAIM = re.compile(
    r"[Cc]hecklist(?: numbers?)?:?\s+(\d+(?:(?:\s*[,–-]\s*|\s+and\s+|\s+to\s+)\d+)*)"
)
_IN_NAME = re.compile(r"^test_(\d+)_")


def parse_claims(text: str) -> set[int]:
    """Numbers in a docstring: "Checklist 5, 12-14 and 16" claims 5, 12, 13, 14, 16."""
    claimed: set[int] = set()
    for match in _CLAIM.finditer(text):
        for low, high in re.findall(r"(\d+)(?:\s*(?:[–-]|to)\s*(\d+))?", match[1]):
            claimed |= set(range(int(low), int(high or low) + 1))
    return claimed


@functools.cache
def list_claims() -> dict[int, set[str]]:
    """Number → files whose tests claim it."""
    claims: dict[int, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if path == Path(__file__):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        numbers = parse_claims(ast.get_docstring(tree) or "")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                numbers |= parse_claims(ast.get_docstring(node) or "")
                if match := _IN_NAME.match(node.name):
                    numbers.add(int(match[1]))
        for number in numbers:
            claims.setdefault(number, set()).add(str(path.relative_to(TESTS)))
    return claims


def test_claims_are_understood() -> None:
    assert parse_claims("Checklist 5, 12-14 and 16: and so on 99") == {5, 12, 13, 14, 16}


@pytest.mark.parametrize("number", PROMISED)
def test_every_promised_number_has_a_test(number: int, tables: dict[str, Table]) -> None:
    table = tables.setdefault("checklist", Table("conformance checklist", "number"))
    claimed_by = list_claims().get(number, set())
    table.put(
        str(number), "tested in", ", ".join(sorted(claimed_by)) or WITHOUT_TEST.get(number, "-")
    )
    assert claimed_by or number in WITHOUT_TEST
