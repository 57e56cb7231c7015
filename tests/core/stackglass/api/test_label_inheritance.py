"""Inheritance of labels, in a program whose main thread has ended."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import threading
import stackglass

def work():
    threading.main_thread().join()
    try:
        import concurrent.futures.thread
    except RuntimeError:
        print("pools refused")
    with stackglass.labels(route="/a"):
        print(dict(stackglass.current_labels()))

threading.Thread(target=work).start()
"""


def test_a_thread_sets_its_first_labels_after_the_main_thread_has_ended() -> None:
    """Python no longer imports thread pools then."""
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.stdout.splitlines() == ["pools refused", "{'route': '/a'}"]
    assert ran.stderr == ""
