"""A package imported a statement at a time is the package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackglass_viewer.gradual_import import import_gradually

INIT = """
'''About it.'''
NAME = __name__
from .part import half
from . import other
whole = 2 * half
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    made = tmp_path / "slowly"
    made.mkdir()
    (made / "part.py").write_text("import slowly\nhalf = 21 if slowly.NAME == 'slowly' else 0\n")
    (made / "other.py").write_text("from slowly.part import half as third\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "slowly"]:
        del sys.modules[name]


def test_it_is_what_an_import_makes(folder: Path) -> None:
    (folder / "__init__.py").write_text(INIT)
    n_steps = sum(1 for _ in import_gradually("slowly"))
    slowly = importlib.import_module("slowly")
    assert n_steps == 6
    assert (slowly.whole, slowly.NAME, slowly.other.third) == (42, "slowly", 21)
    assert slowly.__path__ == [str(folder)]
    assert slowly.__spec__ is not None
    assert slowly.__spec__.name == "slowly"
    assert not list(import_gradually("slowly"))


def test_what_fails_leaves_nothing_behind(folder: Path) -> None:
    (folder / "__init__.py").write_text("NAME = ''\nfrom .part import half\nraise OSError('no')\n")
    with pytest.raises(OSError, match="no"):
        list(import_gradually("slowly"))
    assert "slowly" not in sys.modules


def test_one_that_is_given_up_leaves_nothing_behind(folder: Path) -> None:
    (folder / "__init__.py").write_text(INIT)
    steps = import_gradually("slowly")
    for _ in range(3):
        next(steps)
    assert "slowly" in sys.modules
    steps.close()
    assert "slowly" not in sys.modules


def test_there_is_none() -> None:
    with pytest.raises(ImportError, match="no source file found for no_such_package"):
        list(import_gradually("no_such_package"))


def test_parts_come_before_what_needs_them(folder: Path) -> None:
    (folder / "__init__.py").write_text(INIT)
    steps = import_gradually("slowly", {"part": ("other",)})
    done = [set(sys.modules) & {"slowly.part", "slowly.other"} for _ in steps]
    # Read, about, name, other (with the part that it imports), part, other, whole.
    assert len(done) == 7
    assert done[2] == set()
    assert done[3] == {"slowly.part", "slowly.other"}


def test_a_package_among_the_parts_is_imported_gradually_as_well(folder: Path) -> None:
    (folder / "__init__.py").write_text("from . import inner\nwhole = inner.half * 2\n")
    (folder / "inner").mkdir()
    (folder / "inner" / "__init__.py").write_text("from ..part import half\nfrom . import deep\n")
    (folder / "inner" / "deep.py").write_text("from slowly.inner import half\n")
    (folder / "part.py").write_text("half = 21\n")
    parts = {"inner": ("inner",), "inner.deep": ("inner.deep",)}
    names = ("part", "inner", "inner.deep")
    done = [
        [name for name in names if f"slowly.{name}" in sys.modules]
        for _ in import_gradually("slowly", parts)
    ]
    # Both are read; then inner's statements, the second with its part before it; then slowly's.
    assert done == [[], [], ["part", "inner"], list(names), list(names), list(names), list(names)]
    slowly = importlib.import_module("slowly")
    assert slowly.whole == 42
    assert slowly.inner is importlib.import_module("slowly.inner")
    assert slowly.inner.deep.half == 21
