"""Mutants: deliberate faults of the engine, each with the test that must notice it.

A mutant is a TOML file in ``tests/mutants/``. It names its place by function and content, so it
survives a move of the file. White space in ``find`` matches any white space, so it survives a new
format as well.

    why       what goes wrong for a user
    function  the function that the fault is in (Python: also ``Class.method``)
    find      text that occurs once in that function, and in no other function of that name
    replace   the text that takes its place
    tests     pytest node ids; at least one must fail
    hangs     true: a run that does not end counts as noticed (default: false)
"""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "tests" / "mutants"
SOURCES = ("core", "viewer")
_FIELDS = {"why": str, "function": str, "find": str, "replace": str, "tests": list, "hangs": bool}


class MutantError(Exception):
    """A mutant's file is wrong, or its text does not occur exactly once."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    why: str
    function: str
    find: str
    replace: str
    tests: tuple[str, ...]
    hangs: bool


@dataclasses.dataclass(frozen=True)
class Place:
    """The place that a mutant changes: characters ``start`` to ``end`` of ``path``."""

    path: Path
    start: int
    end: int


def read_mutant(path: Path) -> Mutant:
    """Read a mutant. Raises MutantError for a missing, unknown, empty or mistyped field."""
    fields = {"hangs": False, **tomllib.loads(path.read_text(encoding="utf-8"))}
    for name, kind in _FIELDS.items():
        if not isinstance(fields.get(name), kind):
            raise MutantError(f"{path.name}: '{name}' is missing, or is no {kind.__name__}")
        if name not in ("replace", "hangs") and not fields[name]:
            raise MutantError(f"{path.name}: '{name}' is empty")
    if unknown := set(fields) - set(_FIELDS):
        raise MutantError(f"{path.name}: unknown fields {sorted(unknown)}")
    return Mutant(path.stem, **{**fields, "tests": tuple(fields["tests"])})


def list_mutants() -> list[Mutant]:
    return [read_mutant(path) for path in sorted(FOLDER.glob("*.toml"))]


def read_sources(root: Path = CHECKOUT) -> dict[Path, str]:
    """Return the text of every file below ``root`` that a mutant may change."""
    return {
        path: path.read_text(encoding="utf-8")
        for source in SOURCES
        for suffix in ("*.c", "*.h", "*.py")
        for path in sorted((root / source).rglob(suffix))
    }


def find_place(mutant: Mutant, sources: Mapping[Path, str]) -> Place:
    """Return the one place of a mutant. Raises MutantError if there is none, or several."""
    places = []
    is_function_there = False
    head = mutant.function.rpartition(".")[2] + "("
    for path, text in sources.items():
        if (f"def {head}" if path.suffix == ".py" else head) not in text:
            continue
        for start, end in _find_functions(text, path.suffix, mutant.function):
            is_function_there = True
            for match in _pattern_of(mutant.find).finditer(text, start, end):
                places.append(Place(path, *match.span()))
    if len(places) == 1:
        return places[0]
    if not is_function_there:
        raise MutantError(f"{mutant.name}: there is no function {mutant.function}")
    raise MutantError(f"{mutant.name}: its text is {len(places)} times in {mutant.function}")


def mutate(mutant: Mutant, sources: Mapping[Path, str]) -> tuple[Path, str]:
    """Return the file that the mutant changes, and its changed text. Writes nothing."""
    place = find_place(mutant, sources)
    text = sources[place.path]
    return place.path, text[: place.start] + mutant.replace.strip("\n") + text[place.end :]


def _pattern_of(find: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, find.split())))


def _find_functions(text: str, suffix: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each definition of a function."""
    if suffix == ".py":
        yield from _find_python_functions(text, name)
        return
    # A definition and its closing brace begin in the first column; or the definition is one line.
    head = re.compile(
        rf"^[A-Za-z_][^;{{}}#=]*?\b{re.escape(name)}\([^;{{}}]*\)\s*\{{", re.MULTILINE
    )
    for match in head.finditer(text):
        line_end = text.index("\n", match.end())
        is_one_line = text[match.end() : line_end].rstrip().endswith("}")
        yield match.start(), line_end if is_one_line else text.index("\n}", match.end()) + 2


def _find_python_functions(text: str, name: str) -> Iterator[tuple[int, int]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def visit(node: ast.AST, prefix: str) -> Iterator[tuple[int, int]]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            full = prefix + child.name
            if name in (full, child.name) and not isinstance(child, ast.ClassDef):
                yield starts[child.lineno - 1], starts[child.end_lineno or child.lineno]
            yield from visit(child, f"{full}.")

    yield from visit(ast.parse(text), "")
