"""The core imports the standard library and itself, and nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.matrix import each_python
from harness.pythons import Python

CORE = Path(__file__).resolve().parents[2] / "core"
# A hook that the standard library's `site` looks for; Stackglass passes on to it, and brings none.
HOOKS = {"sitecustomize"}
# Of a newer Python than the one that runs the tests: 3.14 has zstd there.
NEWER = {"compression"}
# A plug-in runs only in the program that it extends and that has imported it: what it imports of
# that program is there already.
PLUGINS = {
    Path("stackglass/pytest_plugin/plugin.py"): {"pytest", "pluggy"},
}
SOURCES = sorted(CORE.rglob("*.py"))


def list_imports(tree: ast.AST) -> Iterator[str]:
    """Top-level names of everything imported anywhere in the file, late imports included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_core_imports_the_standard_library_only(source: Path) -> None:
    imported = set(list_imports(ast.parse(source.read_text(encoding="utf-8"))))
    of_program = PLUGINS.get(source.relative_to(CORE), set())
    assert imported <= sys.stdlib_module_names | {"stackglass"} | HOOKS | NEWER | of_program


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_core_is_python_3_9(source: Path) -> None:
    ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))


RUNS_AT_ONCE = {"stackglass.record.startup_payload"}  # as sitecustomize does
IMPORT_ALL = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


@each_python
def test_core_can_be_imported(python: Python) -> None:
    """Names that only annotations use are not there at run time: none is missing."""
    paths = {source.relative_to(CORE) for source in SOURCES} - PLUGINS.keys()
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths}
    words = [python.executable, "-I", "-c", IMPORT_ALL, str(CORE), *sorted(names - RUNS_AT_ONCE)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
