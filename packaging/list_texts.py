"""List of every text that a user can read, with its place: `packaging/list_texts.py [PATH…]`.

A text is a string constant with a space between words: in Python all but docstrings, in C the
string literals of core and viewer. The list helps to word a message like others of its kind.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCES = ("core", "viewer")
_WORDS = re.compile(r"[A-Za-z]{2,}[,.:;…]? +\S*[A-Za-z]")
_C_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def _find_docstrings(tree: ast.AST) -> set[int]:
    """Return the ids of constants that are docstrings, or bare strings below an attribute."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _join(node: ast.JoinedStr) -> str:
    parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
    return "".join(map(str, parts))


def list_python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text in the order of the source, with ``{}`` for the values of f-strings."""
    tree = ast.parse(source)
    skipped = _find_docstrings(tree)
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            found.append((node.lineno, _join(node)))
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            found.append((node.lineno, node.value if isinstance(node.value, str) else ""))
    return iter(sorted((line, text) for line, text in found if _WORDS.search(text)))


def list_c_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of C source. Adjacent literals are separate texts."""
    blank = _C_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), source)
    for number, line in enumerate(blank.splitlines(), 1):
        for match in _C_LITERAL.finditer(line):
            if not line.lstrip().startswith("#") and _WORDS.search(match[1]):
                yield number, match[1]


def list_texts(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text(encoding="utf-8")
    return list_python_texts(source) if path.suffix == ".py" else list_c_texts(source)


def main() -> None:
    roots = [Path(text) for text in sys.argv[1:]] or [CHECKOUT / name for name in SOURCES]
    files = [file for root in roots for file in ([root] if root.is_file() else root.rglob("*"))]
    for file in sorted(files):
        if file.suffix in (".py", ".c", ".h") and not file.name.endswith("_pb2.py"):
            for line, text in list_texts(file):
                place = file.relative_to(CHECKOUT) if file.is_relative_to(CHECKOUT) else file
                print(f"{place}:{line}: {' '.join(text.split())}")


if __name__ == "__main__":
    main()
