"""How long the GUI thread is kept from its events: idle, while a file loads, while samples arrive.

A timer of 1 ms notes the longest gap between two of its ticks; the maximum counts, because a p99
hides stalls. The CPU time that the GUI thread used within that gap tells our own work from a
machine that was busy elsewhere. Offscreen.

    python tests/bench/bench_gui_stall.py [--seconds 5] [--stacks-per-second 10000] [--mb 100]
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / name) for name in ("core", "viewer", "resources", "tests")]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer  # noqa: E402 - after the path
from PySide6.QtWidgets import QApplication  # noqa: E402

from harness.synthetic_engine import SyntheticEngine, make_stacks  # noqa: E402
from stackglass_viewer import app as composition  # noqa: E402
from stackglass_viewer.app import App  # noqa: E402

_SWITCH_INTERVAL_S = 0.001
_TICK_MS = 1
_BATCHES_PER_SECOND = 10
_UNITS_PER_BATCH = 10  # of 10 ms


class Stall(NamedTuple):
    """The longest time without an event."""

    wall_ms: float
    cpu_ms: float  # the GUI thread's own, at most, in any gap
    n_ticks: int


def watch(seconds: float, is_done: Callable[[], bool] = lambda: False) -> Stall:
    """Run the event loop for a while, or until something is done."""
    loop, timer = QEventLoop(), QTimer()
    worst_wall = worst_cpu = 0.0
    n_ticks = 0
    wall, cpu = time.perf_counter(), time.thread_time()
    end = wall + seconds

    def tick() -> None:
        nonlocal wall, cpu, worst_wall, worst_cpu, n_ticks
        now, used = time.perf_counter(), time.thread_time()
        worst_wall = max(worst_wall, now - wall)
        worst_cpu = max(worst_cpu, used - cpu)
        wall, cpu = now, used
        n_ticks += 1
        if now >= end or is_done():
            loop.quit()

    timer.timeout.connect(tick)
    timer.start(_TICK_MS)
    loop.exec()
    timer.stop()
    return Stall(worst_wall * 1000, worst_cpu * 1000, n_ticks)


def make_file(folder: Path, n_bytes: int) -> Path:
    """A profile of about that size, unpacked."""
    from stackglass_viewer.model.profile_pb2 import Profile

    chance = random.Random(1)
    message = Profile(string_table=["", "cpu", "nanoseconds"])
    message.sample_type.add(type=1, unit=2)
    n_functions = 60_000
    for number in range(1, n_functions + 1):
        message.string_table.append(f"package{number % 50}.module.Class{number % 997}.f{number}")
        message.function.add(id=number, name=2 + number)
        message.location.add(id=number).line.add(function_id=number, line=1)
    head = message.SerializeToString()
    body = Profile()
    stack = [chance.randrange(1, 200) for _ in range(27)]
    for _ in range(20_000):
        keep = chance.randrange(4, 27)
        stack = stack[27 - keep :] and [
            *(chance.randrange(1, n_functions) for _ in range(27 - keep)),
            *stack[27 - keep :],
        ]
        body.sample.add(location_id=stack, value=[chance.randrange(1, 10_000_000)])
    block = body.SerializeToString()
    path = folder / "large.pb"
    with path.open("wb") as file:
        file.write(head)
        for _ in range(max(1, (n_bytes - len(head)) // len(block))):
            file.write(block)
    return path


def pack_session(engine: SyntheticEngine, stacks_per_second: int, seconds: float) -> list[bytes]:
    """The batches of a session, made in advance: this process shall do what a viewer does."""
    stacks = make_stacks(20_000, 30)
    chance = random.Random(2)
    n_batch = min(stacks_per_second // _BATCHES_PER_SECOND, len(stacks) - 1)
    for number in range(round(seconds * _BATCHES_PER_SECOND)):
        first = chance.randrange(len(stacks) - n_batch)
        engine.tell_samples(stacks[first : first + n_batch], unit=number * _UNITS_PER_BATCH)
        engine.tell_status(time_ns=engine.started_ns + number * _UNITS_PER_BATCH * 10_000_000)
    return engine.pack_what_is_queued()


def feed(engine: SyntheticEngine, packed: list[bytes], stop: threading.Event) -> None:
    """Send batch after batch, ten a second, each with its status."""
    engine.tell_hello()
    engine.tell_ready()
    pairs = iter(zip(packed[::2], packed[1::2], strict=True))
    while not stop.wait(1 / _BATCHES_PER_SECOND):
        for message in next(pairs, ()):
            engine.tell_again(message)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--stacks-per-second", type=int, default=10_000)
    parser.add_argument("--mb", type=int, default=100)
    arguments = parser.parse_args()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    qt = QApplication(["bench"])
    results: list[tuple[str, Stall]] = []
    with tempfile.TemporaryDirectory(prefix="stackglass-bench-") as name:
        folder = Path(name)
        path = make_file(folder, arguments.mb << 20)
        settings = QSettings(str(folder / "settings.conf"), QSettings.Format.IniFormat)
        settings.setValue("view", "both")
        app = App(qt, settings, is_quiet=True)
        app.window.resize(1600, 900)
        app.window.show()
        watch(0.5)
        results.append(("idle", watch(arguments.seconds)))

        began = time.perf_counter()
        app.open_files((str(path),))
        is_shown = lambda: any(d.scene is not None for d in app.documents.values())  # noqa: E731
        stall = watch(300, is_shown)
        took = time.perf_counter() - began
        results.append((f"{path.stat().st_size >> 20} MB file, {took:.1f} s", stall))
        results.append(("its first paints", watch(1.0)))
        for page in list(app.documents):
            app._close_page(page)

        stop = threading.Event()
        engine = SyntheticEngine(os.getpid())
        composition.connect_engine = lambda _pid, _hz: engine
        packed = pack_session(engine, arguments.stacks_per_second, arguments.seconds)
        feeder = threading.Thread(target=feed, args=(engine, packed, stop))
        feeder.start()
        app.attach(os.getpid(), 10_000)
        rate = f"{arguments.stacks_per_second} stacks/s"
        results.append((rate, watch(arguments.seconds)))
        stop.set()
        feeder.join()
        results.append((f"idle, after {engine.n_samples} stacks", watch(arguments.seconds)))
        app.close()
    print(f"{'GUI thread':34} {'longest gap':>12} {'own CPU in it':>14} {'ticks':>8}")
    for what, one in results:
        print(f"{what:34} {one.wall_ms:9.1f} ms {one.cpu_ms:11.1f} ms {one.n_ticks:8}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
