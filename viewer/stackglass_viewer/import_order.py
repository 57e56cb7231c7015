"""Import order: lists the modules that a module imports, so that each can be imported by itself.

An import of a module first imports all that it needs, which may take a second. In the order of
this list each import runs one module: all that the module imports is loaded before.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)
"""An import at the top of a module. Those within a function or for types alone are indented."""

_WORD = re.compile(r"\w+")


def list_in_order(
    name: str, is_wanted: Callable[[str], bool], listed: set[str] | None = None
) -> Iterator[str]:
    """Yield the names of the module ``name`` and of those that it imports, each after its own
    imports. Only imports of the form ``from … import …`` are followed, in modules with a source.

    ``is_wanted``: whether to list a module and its imports. It is called just before the module
    would be listed, so it may depend on ``sys.modules``.
    ``listed``: names to leave out; every listed name is added.
    """
    listed = set() if listed is None else listed
    if name in listed or not is_wanted(name):
        return
    listed.add(name)
    for place, names in _IMPORT.findall(_read_source(name)):
        yield from list_in_order(place, is_wanted, listed)
        inner = [f"{place}.{word}" for word in _WORD.findall(names)]
        modules = [each for each in inner if each not in listed and is_wanted(each)]
        if modules and _is_package(place):
            for each in modules:
                if importlib.util.find_spec(each) is not None:
                    yield from list_in_order(each, is_wanted, listed)
    yield name


def _is_package(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.submodule_search_locations is not None


def _read_source(name: str) -> str:
    """Return the source of a module; "" if it has none."""
    spec = importlib.util.find_spec(name)
    # Not ``importlib.abc.InspectLoader``, which imports more than this module's users need.
    get_source = getattr(spec.loader if spec is not None else None, "get_source", None)
    return (get_source(name) or "") if get_source is not None else ""
