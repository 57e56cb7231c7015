"""Warm-up: what the start page does without, in steps that the user can overtake."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.fresh_process import run_program
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.warm_up import LATE_ROOMS, WarmUp, list_late_modules

SAMPLE = ["page", "a view", "another view"]

# In a process of its own, for here all is imported.
_OVERTAKEN = """
import sys
from PySide6.QtCore import QTimer
from stackglass_viewer.launch import launch

def overtake(app):
    warm_up = app._warm_up
    warm_up._timer.stop()
    while "stackglass_viewer.wiring" not in sys.modules:
        assert warm_up.go_on()
    assert "stackglass_viewer.pages" not in sys.modules, "there is nothing left to import"
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


def test_it_can_be_given_up_at_any_step(collector: Collector) -> None:
    for n_steps in range(10):
        warm_up = make(collector)
        for _ in range(n_steps):
            warm_up.go_on()
        warm_up.stop()
        assert not warm_up.go_on()


def test_what_needs_the_pages_is_put_off_until_they_are_imported(collector: Collector) -> None:
    seen: list[str] = []
    warm_up = make(collector)
    warm_up.when_imported(lambda: seen.append("not begun"))
    warm_up.start()
    warm_up.when_imported(lambda: seen.append("first"))
    warm_up.when_imported(lambda: seen.append("second"))
    assert seen == ["not begun"]
    assert warm_up._timer.interval() == 0
    while not warm_up._has_pages:
        warm_up.go_on()
        assert seen == ["not begun"]
    warm_up.go_on()
    warm_up.when_imported(lambda: seen.append("third"))
    assert (seen[1:], warm_up.is_awaited) == (["first"], True)
    for _ in range(3):
        warm_up.go_on()
    assert (seen[1:], warm_up.is_awaited) == (["first", "second", "third"], False)
    warm_up.when_imported(lambda: seen.append("at once"))
    assert seen[4:] == ["at once"]
    warm_up.stop()


def test_nothing_is_done_after_the_end(collector: Collector) -> None:
    warm_up = make(collector)
    warm_up.start()
    warm_up.when_imported(pytest.fail)
    warm_up.stop()
    assert not warm_up.is_awaited
    assert not warm_up.go_on()


# In a process of its own, for here all is imported.
_LOADED = """
import sys
from PySide6.QtCore import QTimer
from stackglass_viewer.launch import launch
from stackglass_viewer.model.memory_trace.any_file import open_any
from stackglass_viewer.presenter.loading import Loaded

def begin(app):
    app.loader.loaded.emit(Loaded(sys.argv[1], open_any(sys.argv[1])))
    print("stackglass_viewer.pages" in sys.modules, flush=True)
    poll = QTimer(app.window)
    poll.timeout.connect(lambda: look(app))
    poll.start(1)
    QTimer.singleShot(60_000, app.close)

def look(app):
    if app.documents:
        print(len(app.documents), flush=True)
        app.close()

sys.exit(launch(begin))
"""


def test_a_file_does_not_import_the_pages_in_one_handler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "one.collapsed"
    path.write_text("main;work 3\n")
    assert run_program(_LOADED, str(path)) == ["False", "1"]


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


# In a process of its own, for here all is imported.
_STEPS = """
import sys
import stackglass_viewer.view  # with the window
from PySide6.QtWidgets import QApplication
from stackglass_viewer import warm_up
from stackglass_viewer.presenter.gui_collector import Collector

def list_own():
    return {name for name, module in sys.modules.items()
            if name.startswith("stackglass") and not hasattr(module, "__path__")}

qt, collector = QApplication([]), Collector()
warm_up._IMPORT_STEP_S = 0.0
warm_up._import_model()  # else a thread imports it meanwhile
counts, before = [], list_own()
for step in warm_up.WarmUp(lambda: iter(()), collector)._take_steps():
    now = list_own()
    if step == "a part of the pages":
        counts.append(len(now - before))
    if step == "pages":
        print(max(counts), len(counts), "stackglass_viewer.pages" in now)
    before = now
"""


def test_a_step_of_the_pages_imports_one_module() -> None:
    """One of them took a whole chain with it, twice as long as a handler may take."""
    most, n_steps, is_done = run_program(_STEPS)[0].split()
    assert int(most) == 1
    assert int(n_steps) > 200
    assert is_done == "True"


# In a process of its own, for here all is imported.
_COUNT = """
import importlib, sys
import stackglass_viewer.pages, stackglass_viewer.model.live_profile
from stackglass_viewer.warm_up import LATE_ROOMS, list_late_modules

counts = []
for name in list_late_modules():
    before = set(sys.modules)
    importlib.import_module(name)
    new = sys.modules.keys() - before
    counts.append(sum(each.rpartition(".")[0] in LATE_ROOMS for each in new))
print(max(counts), sum(counts))
"""


def test_a_step_imports_one_module() -> None:
    """One of them took twelve others with it: the longest step after the start."""
    most, n_modules = map(int, run_program(_COUNT)[0].split())
    assert most == 1
    assert n_modules > 100


def test_every_late_module_is_listed_once() -> None:
    names = list(list_late_modules())
    assert len(names) == len(set(names))
    folders = (Path(importlib.import_module(room).__path__[0]) for room in LATE_ROOMS)
    files = {path.stem for folder in folders for path in folder.glob("*.py")} - {"__init__"}
    assert {name.rpartition(".")[2] for name in names} == files


def test_a_tab_that_is_opened_in_between_gets_whole_modules(tmp_path: Path) -> None:
    """Pages are imported in steps; a tab that is opened in between imports the rest, once."""
    done = subprocess.run(
        [sys.executable, "-c", _OVERTAKEN],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
