"""Gradual import of a large package: a statement at a time, with room for other work between.

pyqtgraph's ``__init__`` imports two hundred modules, which takes a tenth of a second without a
break. It cannot be imported by another thread: PySide makes types without a lock.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Generator, Mapping, Sequence

Parts = Mapping[str, Sequence[str]]


def import_gradually(name: str, parts: Parts | None = None) -> Generator[None, None, None]:
    """Run the top level of package ``name`` as an import would; yields after each statement.

    ``parts``: modules, each with those that are to be imported before a statement that imports it,
    one after the other, since it takes too long otherwise; packages among them gradually as well.
    Names are relative.

    Code that imports it in the meantime gets it half made, as with any import under way: callers
    must prevent that. After an error it is not in ``sys.modules``. Raises ImportError if there is
    no such package.
    """
    yield from _import(name, len(name) + 1, parts or {})


def _import(name: str, n_above: int, parts: Parts) -> Generator[None, None, None]:
    """``n_above``: so many letters of a full name are before the relative one."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"no source file found for {name}", name=name)
    if spec.submodule_search_locations is None:
        importlib.import_module(name)
        yield
        return
    module = importlib.util.module_from_spec(spec)
    with open(spec.origin, "rb") as file:
        body = ast.parse(file.read(), spec.origin).body
    yield
    sys.modules[name] = module
    try:
        for statement in body:
            for target in _list_targets(statement):
                for part in parts.get(f"{name}.{target}"[n_above:], ()):
                    yield from _import(f"{name[: n_above - 1]}.{part}", n_above, parts)
            code = compile(ast.Module([statement], []), spec.origin, "exec", dont_inherit=True)
            exec(code, module.__dict__)
            yield
    except BaseException:  # a generator that is closed stands for an import that is given up
        del sys.modules[name]
        raise
    package, _, own = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own, module)


def _list_targets(statement: ast.stmt) -> list[str]:
    """What ``from .target import …`` or ``from . import target, …`` imports."""
    if not isinstance(statement, ast.ImportFrom):
        return []
    return [statement.module] if statement.module else [each.name for each in statement.names]
