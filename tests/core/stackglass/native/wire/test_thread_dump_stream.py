"""Threads and tasks of one moment, as they are sent."""

from __future__ import annotations

from harness.fresh_process import run_program

MANY_LABELS = """
import sys, threading
import stackglass

def wait(n, end=threading.Event(), begun=threading.Barrier(3)):
    with stackglass.labels(n=n):
        begun.wait()
        end.wait()

threading.Thread(target=wait, args=(0,), daemon=True).start()
for n in range(1 << 16):
    with stackglass.labels(n=n):
        pass
threading.Thread(target=wait, args=(-1,), daemon=True).start()
wait.__defaults__[1].wait()
stackglass.lookup("threads").write_to(sys.stdout.buffer, debug=2)
"""


def test_a_dump_defines_all_of_its_label_sets() -> None:
    """Also beside `<other labels>`, which has the highest number and stands for no set before."""
    text = "\n".join(run_program(MANY_LABELS))
    assert '{labels: "<other labels>"}' in text
    assert "{n: 0}" in text.replace('"', "")
