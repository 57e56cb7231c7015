"""A package imported in steps is the package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackglass_viewer.gradual_import import import_gradually

# Each module uses more CPU than a step has.
BUSY = "import time\nend = time.thread_time() + 0.004\nwhile time.thread_time() < end: pass\n"
STEP_S = 0.002
INIT = """
'''About it.'''
OPTIONS = {'half': 1}
def option(name): return OPTIONS[name]
NAME = __name__
from .part import half, n_runs
from . import other
from slowly.inner import deep
whole = 2 * half
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    made = tmp_path / "slowly"
    (made / "inner").mkdir(parents=True)
    (made / "__init__.py").write_text(INIT)
    (made / "part.py").write_text(
        f"import slowly\nfrom slowly import option\n{BUSY}"
        "n_runs = getattr(__import__('sys'), 'n_slow_runs', 0) + 1\n"
        "__import__('sys').n_slow_runs = n_runs\n"
        "half = 21 if slowly.NAME == 'slowly' else 0\n"
    )
    (made / "other.py").write_text(f"{BUSY}from slowly.part import half as third\n")
    (made / "inner" / "__init__.py").write_text(f"{BUSY}from slowly.other import third\n")
    (made / "inner" / "deep.py").write_text(f"{BUSY}from slowly.inner import third\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "n_slow_runs", 0, raising=False)
    yield made
    for name in [name for name in sys.modules if name.partition(".")[0] == "slowly"]:
        del sys.modules[name]


def test_it_is_what_an_import_makes(folder: Path) -> None:
    finders = list(sys.meta_path)
    n_steps = sum(1 for _ in import_gradually("slowly", STEP_S))
    slowly = importlib.import_module("slowly")
    assert n_steps >= 3
    assert (slowly.whole, slowly.NAME, slowly.other.third) == (42, "slowly", 21)
    assert slowly.inner.deep.third == 21
    assert slowly.__path__ == [str(folder)]
    assert slowly.__spec__ is not None
    assert slowly.__spec__.name == "slowly"
    assert sys.meta_path == finders
    assert not list(import_gradually("slowly", STEP_S))


def test_a_finished_module_is_not_run_again(folder: Path) -> None:
    assert sum(1 for _ in import_gradually("slowly", STEP_S)) >= 3
    assert importlib.import_module("slowly").n_runs == 1


def test_options_set_later_reach_the_parts_made_earlier(folder: Path) -> None:
    list(import_gradually("slowly", STEP_S))
    slowly = importlib.import_module("slowly")
    slowly.OPTIONS["half"] = 2
    assert slowly.part.option("half") == 2


def test_one_module_longer_than_a_step_is_finished(folder: Path) -> None:
    """Else the same beginning would be repeated for ever."""
    assert sum(1 for _ in import_gradually("slowly", 1e-6)) < 40
    assert importlib.import_module("slowly").whole == 42


def test_with_time_enough_it_is_one_step(folder: Path) -> None:
    assert not list(import_gradually("slowly", 10.0))
    assert importlib.import_module("slowly").whole == 42


def test_what_fails_leaves_nothing_behind(folder: Path) -> None:
    (folder / "__init__.py").write_text(INIT + "raise OSError('no')\n")
    with pytest.raises(OSError, match="no"):
        list(import_gradually("slowly", STEP_S))
    assert "slowly" not in sys.modules


def test_one_that_is_given_up_leaves_nothing_behind(folder: Path) -> None:
    steps = import_gradually("slowly", STEP_S)
    next(steps)
    assert "slowly" in sys.modules
    steps.close()
    assert "slowly" not in sys.modules


def test_an_import_of_another_thread_passes_over_no_finder(folder: Path) -> None:
    """It goes through the list of finders, with its first one behind it, when a step ends."""
    (folder / "other.py").write_text(
        f"import sys\nsys.n_slow_runs = iter(sys.meta_path)\nnext(sys.n_slow_runs)\n{BUSY}third = 1"
    )
    finders = list(sys.meta_path)
    list(import_gradually("slowly", STEP_S))
    remaining = sys.n_slow_runs  # type: ignore[attr-defined]
    assert list(remaining) == finders


def test_there_is_none() -> None:
    with pytest.raises(ImportError, match="no source file found for no_such_package"):
        list(import_gradually("no_such_package", STEP_S))
