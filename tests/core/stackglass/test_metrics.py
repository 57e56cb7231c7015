"""The program's metrics: in a program that is made to have each of them."""

from __future__ import annotations

import gc
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.matrix import each_python, some_pythons
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
    deadline = time.monotonic() + 60
    first = metrics.read()
    while first.threads.get("waiting for a lock") != 3 and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
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


def run(python: Python, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [python.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(FOLDER.parents[1] / "core")},
    )
    assert done.returncode == 0, done.stderr
    return done


def take_twice(python: Python) -> tuple[dict[str, Any], dict[str, Any]]:
    first, second = json.loads(run(python, PROGRAM).stdout)
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
    assert first["lock_waits"] is None, "there is no rate that asks for it"


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


WAITS = """
import gc, json, sys, threading, time
import stackglass, stackglass.metrics as metrics

stackglass.set_block_profile_rate(int(sys.argv[1]))
before = metrics.read()
begun_ns = time.perf_counter_ns()
lock, waited_ns = threading.Lock(), []

def pass_by():
    for _ in range(50):
        lock.acquire()
        time.sleep(0.0005)
        lock.release()
        time.sleep(0)

def measure():
    for _ in range(50):
        begun_ns = time.perf_counter_ns()
        lock.acquire()
        waited_ns.append(time.perf_counter_ns() - begun_ns)
        lock.release()
        time.sleep(0.0002)

free = threading.Lock()
for _ in range(100_000):
    with free:
        pass
threads = [threading.Thread(target=pass_by), threading.Thread(target=measure)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
wall_ns = time.perf_counter_ns() - begun_ns
print(json.dumps([before._asdict(), metrics.read()._asdict(), sum(waited_ns), wall_ns]))
"""


@pytest.mark.parametrize("rate_ns", [1, 10**10])
@some_pythons
def test_every_lock_wait_is_in_the_exact_total(python: Python, rate_ns: int) -> None:
    """Also where the profile samples. A free lock, however often it is taken, is in none."""
    done = run(python, WAITS, str(rate_ns))
    before, after, measured_ns, wall_ns = json.loads(done.stdout)
    n, total_ns, sampled_ns = after["lock_waits"]
    n_before, before_ns, _ = before["lock_waits"]
    assert 0 < n - n_before < 1000
    # The other thread's waits are in it as well, and that for the threads' end; none is twice.
    assert measured_ns * 0.9 < total_ns - before_ns < 3 * wall_ns
    if rate_ns == 1:
        assert sampled_ns == total_ns
    else:
        assert sampled_ns % rate_ns == 0, "each sampled wait stands for ten seconds"


ARENAS = """
import sys
from stackglass.native import _core
kept = [[i] for i in range(300_000)]
n = _core.count_arenas()
sys._debugmallocstats()
print(n)
"""


@each_python
def test_arenas_are_those_that_the_interpreter_counts(python: Python) -> None:
    """As ``sys._debugmallocstats`` prints it on standard error."""
    done = run(python, ARENAS)
    (line,) = [each for each in done.stderr.splitlines() if "arenas allocated current" in each]
    known = int(line.rpartition("=")[2].replace(",", ""))
    assert known > 5
    assert int(done.stdout) == known


QUEUES = """
import os, stackglass
from stackglass import metrics

def add_up():
    total = 0
    for tid in os.listdir("/proc/self/task"):
        if open(f"/proc/self/task/{tid}/comm").read() != "stackglass\\n":
            total += int(open(f"/proc/self/task/{tid}/schedstat").read().split()[1])
    return total

stackglass.set_heap_profile_rate(1 << 19)  # the engine stays
least, found, most = add_up(), metrics.read().run_queue_ns, add_up()
assert least <= found <= most, (least, found, most)
"""


@some_pythons
def test_the_run_queue_is_the_programs_own(python: Python) -> None:
    run(python, QUEUES)
