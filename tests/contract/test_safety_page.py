"""docs/safety.md names a test for each promise: each of them is there."""

from __future__ import annotations

import ast
import functools
import re

import pytest

from harness.mutants import CHECKOUT

PAGE = CHECKOUT / "docs" / "safety.md"
_NAMED = re.compile(r"`([\w./…]+\.py|…)::(\w+)`")


@functools.cache
def list_tests(file: str) -> set[str]:
    tree = ast.parse((CHECKOUT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def list_named() -> list[tuple[str, str]]:
    """(file, test); `…` is the file named before."""
    named: list[tuple[str, str]] = []
    for file, test in _NAMED.findall(PAGE.read_text(encoding="utf-8")):
        named.append((named[-1][0] if file == "…" else file, test))
    return named


@pytest.mark.parametrize(("file", "test"), list_named())
def test_a_named_test_is_there(file: str, test: str) -> None:
    assert test in list_tests(file)


def test_every_promise_names_a_test() -> None:
    is_promises = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        is_promises = line.startswith("|") and (is_promises or line == "| promise | test |")
        if is_promises and not line.startswith(("|---", "| promise |")):
            assert _NAMED.search(line), line
