"""Plain imports: PySide reads no sources, and other replacements of ``__import__`` stay."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import pytest

from harness.fresh_process import run_program
from stackglass_viewer.view.plain_imports import restore_import

# In a process of its own, for here other libraries have read sources.
_READ = """
import linecache
import stackglass_viewer.view.widgets.theme
kept = [name for name in linecache.cache if "stackglass" in name]
print("" if not kept else kept)
"""


def test_no_source_is_read_for_an_import() -> None:
    assert run_program(_READ)[0] == ""


def replace(*_: object, **__: object) -> None:
    pytest.fail("nothing is imported here")


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The built-in names, with names for the two functions that PySide keeps."""
    plain = builtins.__import__
    monkeypatch.setattr(builtins, "__orig_import__", plain, raising=False)
    monkeypatch.setattr(builtins, "__feature_import__", replace, raising=False)
    yield vars(builtins)
    builtins.__import__ = plain


def test_the_replacement_of_pyside_is_taken_back(known: dict[str, Any]) -> None:
    plain = known["__import__"]
    known["__import__"] = known["__feature_import__"]
    restore_import()
    found, known["__import__"] = known["__import__"], plain
    assert found is plain


def test_another_replacement_stays(known: dict[str, Any]) -> None:
    def other(*_: object, **__: object) -> None:
        pytest.fail("nothing is imported here")

    plain, known["__import__"] = known["__import__"], other
    restore_import()
    found, known["__import__"] = known["__import__"], plain
    assert found is other
