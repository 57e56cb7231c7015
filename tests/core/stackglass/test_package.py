"""``import stackglass``: the API is there, and loaded when it is first used."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys

import pytest

import stackglass
from stackglass.api import program


def test_every_public_name_is_the_apis() -> None:
    names = [name for name in stackglass.__all__ if name != "__version__"]
    assigned = [
        target.id
        for statement in ast.parse(inspect.getsource(program)).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]
    assert sorted(names) == sorted(assigned)
    assert all(getattr(stackglass, name) is getattr(program, name) for name in names)
    assert set(stackglass.__all__) <= set(dir(stackglass))


def test_no_module_has_the_name_of_a_function() -> None:
    """Once it is imported, as by a command, it would stand in the place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(stackglass.__path__)}
    assert modules.isdisjoint(stackglass.__all__)


@pytest.mark.parametrize("name", ["metrics.read", "errors.EngineError"])
def test_modules_of_the_api_are_there_without_an_import_of_their_own(name: str) -> None:
    code = f"import stackglass; print(stackglass.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [name.partition(".")[2]]


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lookups'"):
        getattr(stackglass, "lookups")  # noqa: B009 - mypy would refuse the plain spelling


def test_commands_start_without_the_api_and_what_they_do_not_use() -> None:
    """A command that examines a process is short: what it imports is most of its time."""
    code = (
        "import sys; from stackglass.commands import catalogue;"
        "catalogue.load('waits'); catalogue.load('threads');"
        "import stackglass.threads.text, stackglass.waits.text;"
        "unused = 'importlib.metadata', 'stackglass.api', 'stackglass.http', 'tempfile',"
        "'stackglass.wire.recording', 'stackglass.record.session';"
        "print([name for name in unused if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
