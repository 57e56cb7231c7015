"""What the system says of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from stackglass_viewer.presenter.live.target_process import list_threads, read_begin_ticks


def test_threads_come_and_go() -> None:
    tids: list[int] = []
    gate = threading.Event()

    def run() -> None:
        tids.append(threading.get_native_id())
        gate.wait(30)

    thread = threading.Thread(target=run)
    thread.start()
    while not tids:
        pass
    assert {threading.get_native_id(), *tids} <= list_threads(os.getpid())
    gate.set()
    thread.join()
    while tids[0] in list_threads(os.getpid()):
        pass
    assert list_threads(2**30) == frozenset()


def test_a_child_begins_after_its_parent() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert 0 < read_begin_ticks(os.getpid()) <= read_begin_ticks(child.pid)
    finally:
        child.communicate()
    assert read_begin_ticks(2**30) == 0
