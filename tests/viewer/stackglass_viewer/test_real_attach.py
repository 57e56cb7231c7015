"""The window, attached to a real process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from harness.proc_state import read_tasks
from harness.session import Session
from harness.window_session import make_target
from stackglass.attach.processes import list_processes
from stackglass.wire.rates import Rates
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.live.document import LiveDocument

pytestmark = [pytest.mark.gui, pytest.mark.attach]

BUSY = """
import time
def spin():
    return sum(range(1000))
def main():
    print("ready", flush=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        spin()
main()
"""


HOARDER = """
import time
kept = []
def hoard():
    return bytes(1 << 16)
def waste():
    return bytearray(1 << 19)
def main():
    print("ready", flush=True)
    while True:
        if len(kept) < 4000:
            kept.append(hoard())
        waste()
        knot = []
        knot.append(knot)
        time.sleep(0.01)
main()
"""


CONTENDED = """
import threading, time
LOCK = threading.Lock()
def hold():
    with LOCK:
        time.sleep(0.02)
def pass_by():
    with LOCK:
        pass
def repeat(do):
    while True:
        do()
        time.sleep(0.001)
threads = [threading.Thread(target=repeat, args=(do,), daemon=True) for do in (hold, pass_by)]
print("ready", flush=True)
for thread in threads:
    thread.start()
threads[0].join()
"""


def names(document: LiveDocument) -> set[str]:
    scene = document.scene
    if scene is None:
        return set()
    return {name_of(scene, int(node)).rpartition(".")[2] for node in scene.layout.node}


@pytest.fixture
def target(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    yield from run(tmp_path, BUSY)


@pytest.fixture
def hoarder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    yield from run(tmp_path, HOARDER)


@pytest.fixture
def contended(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    yield from run(tmp_path, CONTENDED)


def run(folder: Path, program: str) -> Iterator[subprocess.Popen[str]]:
    script = folder / "program.py"
    script.write_text(program)
    process = subprocess.Popen(
        [sys.executable, "-S", str(script)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    refusals = [info.reason for info in list_processes() if info.pid == process.pid]
    if any(refusals):
        process.kill()
        process.communicate()
        pytest.skip(refusals[0])
    yield process
    process.kill()
    process.communicate()


def test_a_process_is_watched_left_and_goes_on(
    app: App, target: subprocess.Popen[str], wait_until: Any
) -> None:
    document = app.attach(make_target(target.pid, 250))
    wait_until(lambda: "spin" in names(document))
    document.capture.set_rate(1000)
    wait_until(lambda: document.status.rates.cpu_hz == 1000)
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    assert "spin" in names(document)
    assert target.poll() is None

    again = app.attach(make_target(target.pid, 100))
    wait_until(lambda: "spin" in names(again))


def test_a_tab_that_is_closed_leaves_the_engine_to_others(
    app: App, target: subprocess.Popen[str], wait_until: Any
) -> None:
    """The last one to go takes it along."""

    def close_tab() -> None:
        (page,) = app.documents
        app.window.page_close_requested.emit(page)

    def is_entered() -> bool:
        return any(name.startswith("stackglass") for name in read_tasks(target.pid).values())

    document = app.attach(make_target(target.pid, 100))
    wait_until(lambda: "spin" in names(document))
    with Session(target.pid, hz=100) as other:
        close_tab()
        other.wait_for_samples(other.n_samples + 10)
        assert other.bye is None
        again = app.attach(make_target(target.pid, 100))
        wait_until(lambda: "spin" in names(again))
    close_tab()
    wait_until(lambda: not is_entered())
    assert target.poll() is None


def test_detach_in_one_window_leaves_the_other_its_session(
    app: App, qt: QApplication, target: subprocess.Popen[str], wait_until: Any, tmp_path: Path
) -> None:
    """Two windows on one process, as two people have them."""
    settings = QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat)
    other = App(qt, settings, is_quiet=True)
    other.window.show()
    try:
        first = app.attach(make_target(target.pid, 500))
        wait_until(lambda: "spin" in names(first))
        second = other.attach(make_target(target.pid, 500))
        wait_until(lambda: "spin" in names(second))
        first.capture.detach()
        wait_until(lambda: first.status.phase == "detached")
        n_samples = second.status.n_samples
        wait_until(lambda: second.status.n_samples > n_samples + 100)
        assert second.status.is_attached
        second.capture.detach()
        wait_until(lambda: second.status.phase == "detached")
    finally:
        other.close()
        other.window.deleteLater()
        qt.sendPostedEvents(None, 0)
    assert target.poll() is None


def test_a_target_that_is_killed_is_reported(
    app: App, target: subprocess.Popen[str], wait_until: Any
) -> None:
    document = app.attach(make_target(target.pid, 250))
    wait_until(lambda: "spin" in names(document))
    target.kill()
    target.wait()
    wait_until(lambda: document.status.phase == "ended")
    page = next(iter(app.documents))
    assert page.message.notice is not None
    assert "has ended" in page.message.notice.text
    assert "spin" in names(document)


def test_who_holds_the_memory_and_who_wastes_it(
    app: App, hoarder: subprocess.Popen[str], wait_until: Any
) -> None:
    document = app.attach(make_target(hoarder.pid, 0, 1))
    wait_until(lambda: app.window.page is not None)
    page = app.window.page
    assert page is not None
    page.show_view("heap")
    memory = document.memory

    def find_row(function: str) -> int:
        rows = range(memory.rowCount())
        return next((row for row in rows if memory.name_at(row).endswith(function)), -1)

    def has_grown() -> bool:
        row = find_row("hoard")
        return row >= 0 and int(memory.index(row, 0).data()) >= 1 << 20

    wait_until(has_grown)
    row = find_row("hoard")
    assert str(memory.index(row, 5).data()).endswith("program.py:5")
    assert 1 << 16 <= int(memory.index(row, 3).data()) < (1 << 16) + 100
    # Never more than one of them at a time, which is two blocks: the object and its buffer.
    assert find_row("waste") < 0 or int(memory.index(find_row("waste"), 2).data()) <= 2
    document.heap.choose_measure(False, None)
    wait_until(lambda: find_row("waste") >= 0)

    document.capture.collect()
    wait_until(lambda: document.status.collected.startswith("collected "))
    heap = document.status.heap
    assert heap is not None
    assert heap.full_age_ns is not None
    assert heap.rss_bytes > 1 << 20
    types = document.types
    document.capture.take_census()
    wait_until(lambda: types.rowCount() > 0)
    rows = {types.index(row, 4).data(): row for row in range(types.rowCount())}
    assert int(types.index(rows["builtins.bytes"], 0).data()) >= 1 << 20
    assert int(types.index(rows["builtins.module"], 2).data()) >= 5
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    assert hoarder.poll() is None


def test_who_waits_and_who_keeps_whom_waiting(
    app: App, contended: subprocess.Popen[str], wait_until: Any
) -> None:
    document = app.attach(
        make_target(contended.pid, 0, 0, contention=Rates(block_rate_ns=1, mutex_fraction=1))
    )
    wait_until(lambda: app.window.page is not None)
    page = app.window.page
    assert page is not None
    page.show_view("contention")
    table = document.contended

    def find_row(function: str) -> int:
        rows = range(table.rowCount())
        return next((row for row in rows if table.name_at(row).endswith(function)), -1)

    def cell(function: str, column: int) -> Any:
        return table.index(find_row(function), column).data()

    wait_until(lambda: find_row("pass_by") >= 0 and cell("pass_by", 2) >= 5)
    assert cell("pass_by", 6).endswith("program.py:8")
    assert cell("pass_by", 8) == "_thread.lock.__enter__"
    assert cell("pass_by", 3) > 1_000_000  # it is held for 20 ms
    table.choose(find_row("pass_by"))
    assert table.stack.name_at(1).endswith("pass_by")
    wait_until(lambda: table.pairs.rowCount() > 0)
    assert str(table.pairs.index(0, 2).data()).endswith("hold:5")
    document.contention.follow(table.pairs.stack_at(0))
    wait_until(lambda: find_row("hold") >= 0 and table.chosen_row == find_row("hold"))
    waiters = [str(table.pairs.index(row, 2).data()) for row in range(table.pairs.rowCount())]
    assert waiters[0].endswith("pass_by:8")
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    assert contended.poll() is None
