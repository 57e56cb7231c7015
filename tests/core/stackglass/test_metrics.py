"""The program's metrics: in a program that is made to have each of them."""

from __future__ import annotations

import gc
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.targets import FOLDER
from stackglass import metrics

PROGRAM = """
import asyncio, gc, json, threading, time
import stackglass.metrics as metrics

lock = threading.Lock()
lock.acquire()
for _ in range(3):
    threading.Thread(target=lock.acquire, daemon=True).start()

def spin():
    while True:
        sum(range(1000))

async def main():
    naps = [asyncio.ensure_future(asyncio.sleep(60)) for _ in range(5)]
    await asyncio.sleep(0.05)
    first = metrics.read()
    gc.collect()
    threading.Thread(target=spin, daemon=True).start()
    threading.Thread(target=spin, daemon=True).start()
    await asyncio.sleep(0.1)
    print(json.dumps([first._asdict(), metrics.read()._asdict()]))
    for nap in naps:
        nap.cancel()

asyncio.run(main())
"""


def take_twice(python: Python) -> tuple[dict[str, Any], dict[str, Any]]:
    done = subprocess.run(
        [python.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(FOLDER.parents[1] / "core")},
    )
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)
    return first, second


@some_pythons
def test_a_program_reads_its_metrics(python: Python) -> None:
    first, second = take_twice(python)
    assert first["threads"] == {"waiting for a lock": 3, "running": 1}
    assert first["tasks"] == {"suspended": 5, "running": 1}
    assert sum(second["threads"].values()) == 6
    assert second["threads"]["waiting for a lock"] == 3
    assert second["cpu_ns"] > first["cpu_ns"]
    assert min(first["run_queue_ns"], second["run_queue_ns"]) > 0
    assert second["collections"][-1] > first["collections"][-1]
    assert second["pauses"][0] > first["pauses"][0]
    assert second["pauses"][1] >= second["pauses"][2] > 0
    assert first["allocated_blocks"] > 1000


def test_pauses_are_those_of_the_watch() -> None:
    metrics.watch_pauses()
    metrics.watch_pauses()
    try:
        (watch,) = [each for each in gc.callbacks if hasattr(each, "pauses")]
        gc.collect()
        gc.collect()
        count, total_ns, longest_ns = watch.pauses
        assert count == 2
        assert 0 < longest_ns < total_ns <= 2 * longest_ns
        watch("stop", {})  # of a collection that had begun before the watch
        assert watch.pauses.n == 2
    finally:
        metrics.stop_watching_pauses()
    assert watch not in gc.callbacks
    metrics.stop_watching_pauses()


def test_without_schedstat_the_run_queue_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.listdir", lambda path: ["0"])
    assert not Path("/proc/self/task/0").exists()
    assert metrics._read_run_queue() == -1
