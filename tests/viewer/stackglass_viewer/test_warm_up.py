"""Warm-up: what the start page does without, in steps that the user can overtake."""

from __future__ import annotations

import gc
import linecache
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.warm_up import WarmUp, list_late_modules

SAMPLE = ["page", "a view", "another view"]

# In a process of its own, for here all is imported.
_OVERTAKEN = """
import sys
from PySide6.QtCore import QTimer
from stackglass_viewer.launch import launch

def overtake(app):
    warm_up = app._warm_up
    warm_up._timer.stop()
    while "stackglass_viewer.pages" not in sys.modules:
        assert warm_up.go_on()
    assert not hasattr(sys.modules["stackglass_viewer.pages"], "Pages"), "it is not half made"
    n_before = len(sys.modules)
    assert app.pages.make_sample is not None
    assert len(sys.modules) > n_before
    while warm_up.go_on():
        pass
    print(sys.modules["stackglass_viewer.pages"].Pages is type(app.pages), flush=True)
    app.close()

sys.exit(launch(lambda app: QTimer.singleShot(0, lambda: overtake(app))))
"""


@pytest.fixture
def collector(qt: QApplication) -> Iterator[Collector]:
    made = Collector()
    made.start()
    yield made
    made.stop()
    assert gc.isenabled()


def make(collector: Collector, is_loading: Callable[[], bool] = lambda: False) -> WarmUp:
    return WarmUp(lambda: iter(SAMPLE), collector, is_loading)


def test_it_takes_the_steps_of_a_page_and_then_imports(collector: Collector) -> None:
    warm_up = make(collector)
    n_steps = 1
    while warm_up.go_on():
        n_steps += 1
    assert n_steps >= 1 + len(SAMPLE) + len(list(list_late_modules())) + 1


def test_sources_that_imports_have_read_are_not_kept(collector: Collector) -> None:
    linecache.getlines(__file__)
    warm_up = make(collector)
    while warm_up.go_on():
        pass
    assert not linecache.cache


def test_it_can_be_given_up_at_any_step(collector: Collector) -> None:
    for n_steps in range(10):
        warm_up = make(collector)
        for _ in range(n_steps):
            warm_up.go_on()
        warm_up.stop()
        assert not warm_up.go_on()


def test_it_imports_nothing_for_files_while_one_is_read(collector: Collector) -> None:
    is_loading = True
    warm_up = make(collector, lambda: is_loading)
    for _ in range(1 + len(SAMPLE) + 20):
        assert warm_up.go_on()
    is_loading = False
    n_left = 1
    while warm_up.go_on():
        n_left += 1
    assert n_left == len(list(list_late_modules())) + 1


def test_who_is_faster_gets_the_whole_module(tmp_path: Path) -> None:
    """Pages are imported in steps; a tab that is opened in between does not get half of them."""
    done = subprocess.run(
        [sys.executable, "-c", _OVERTAKEN],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
