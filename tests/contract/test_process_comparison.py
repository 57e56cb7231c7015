"""The comparison that says "as it was before" sees what it has to see."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

from harness.proc_state import compare, is_library_mapped, read_proc_state
from harness.report import Table


def look() -> dict[str, object]:
    return dict(read_proc_state(os.getpid())._asdict())


def test_same_process_is_the_same() -> None:
    assert compare(look(), look()) == []


def test_thread_and_descriptor_are_seen() -> None:
    before = look()
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    reader, writer = os.pipe()
    differences = "\n".join(compare(before, look()))
    os.close(reader)
    os.close(writer)
    stop.set()
    thread.join()
    assert "tasks." in differences
    assert "descriptors." in differences
    assert "status.Threads" in differences


def test_signal_disposition_is_seen() -> None:
    before = look()
    old = signal.signal(signal.SIGURG, lambda *_: None)
    differences = compare(before, look())
    signal.signal(signal.SIGURG, old)
    assert any(line.startswith("status.SigCgt") for line in differences)
    assert compare(before, look()) == []


def test_nested_values_are_named() -> None:
    before = {"inside": {"modules": ["a", "b"], "methods": {"start": 1}}, "x": 1}
    after = {"inside": {"modules": ["a", "c"], "methods": {"start": 2}}, "x": 1}
    assert compare(before, after) == [
        "inside.methods.start: 1 → 2",
        "inside.modules: gone ['b'], come ['c']",
    ]


def test_our_library_is_not_here() -> None:
    command = [sys.executable, "-I", "-c", "print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as stranger:
        assert stranger.stdout is not None
        stranger.stdout.readline()
        assert not is_library_mapped(stranger.pid)
        stranger.communicate(b"\n")


def test_absent_cells_are_found() -> None:
    table = Table("title", "corner")
    table.put("row 1", "a", "1")
    table.put("row 2", "b", "2")
    assert table.find_absent() == [("row 1", "b"), ("row 2", "a")]
    assert "ABSENT" in "\n".join(table.format_lines())
