"""Imports a large package a statement at a time, with room for other work between.

pyqtgraph's ``__init__`` imports two hundred modules, which takes a tenth of a second at one go. It
cannot be imported by another thread: PySide makes types without a lock.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Generator, Mapping, Sequence


def import_gradually(
    name: str, parts: Mapping[str, Sequence[str]] | None = None
) -> Generator[None, None, None]:
    """Run the top level of package ``name`` as an import would; yields after each statement.

    ``parts``: modules, each with those that it needs and that are to be imported before it, one
    after the other: a statement that imports it takes too long otherwise. Names are relative.

    What imports it in the meantime gets it half made, as of any import under way: see to it that
    nobody does. An error leaves ``sys.modules`` without it. Raises ImportError if there is none.
    """
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"there is no source of {name}", name=name)
    module = importlib.util.module_from_spec(spec)
    with open(spec.origin, "rb") as file:
        body = ast.parse(file.read(), spec.origin).body
    yield
    sys.modules[name] = module
    try:
        for statement in body:
            target = statement.module if isinstance(statement, ast.ImportFrom) else None
            for part in (parts or {}).get(target or "", ()):
                importlib.import_module(f"{name}.{part}")
                yield
            code = compile(ast.Module([statement], []), spec.origin, "exec", dont_inherit=True)
            exec(code, module.__dict__)
            yield
    except BaseException:  # a generator that is closed stands for an import that is given up
        del sys.modules[name]
        raise
