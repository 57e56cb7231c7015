"""Shapes of classes: how many public methods and constructor parameters each has.

A class with more public methods than the limit has several jobs. A constructor with more
parameters needs a value type that groups them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

MOST_METHODS = 15
MOST_PARAMETERS = 5
# Qt calls these; nothing else does.
_QT_HANDLER_SUFFIX = "Event"


def find_misshapen(source: str) -> list[str]:
    """Return a line for each class over a limit."""
    return [
        f"{node.lineno}: {node.name} {finding}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for finding in _judge(node)
    ]


def _judge(node: ast.ClassDef) -> Iterator[str]:
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    # A property's setter has its getter's name.
    public = {each.name for each in functions if _is_public(each.name)}
    if len(public) > MOST_METHODS:
        yield f"has {len(public)} public methods, at most {MOST_METHODS}; split it"
    for each in functions:
        n_parameters = len(each.args.args) + len(each.args.kwonlyargs) - 1
        if each.name == "__init__" and n_parameters > MOST_PARAMETERS:
            yield (
                f"is made with {n_parameters} parameters, at most {MOST_PARAMETERS}; "
                "put those that belong together in a value"
            )


def _is_public(name: str) -> bool:
    return not name.startswith("_") and not name.endswith(_QT_HANDLER_SUFFIX)
