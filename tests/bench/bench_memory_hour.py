"""Memory of the viewer over an hour of a session with every profile, shown in every view.

The hour passes as fast as the viewer can process it. A separate process writes a synthetic engine's
messages to a file, so that this process has only the viewer's memory. Each second of the session
has 1000 samples of 5000 stacks, allocations in 200 heap buckets, and 100 waits. Every minute of the
session another view, span or sample type is shown until it was painted twice; a real hour has more
pictures of the same. Offscreen.

    python tests/bench/bench_memory_hour.py [--quick | --minutes N]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from unittest import mock

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from harness.report import Table
from harness.synthetic_engine import SyntheticEngine, Wait, make_stacks
from harness.window_session import make_target
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.presenter import freed_memory

BUDGET_MIB = 286  # 300 MB
N_STACKS, DEPTH = 5_000, 30
N_SAMPLES, N_SUMS, N_WAITS = 1_000, 200, 100  # a second
N_BUCKETS = 2_000
_UNITS_PER_S = 100
_LATER_S = 3_600.0
_QUICK_MINUTES = 4
_VIEWS = ("flame", "top", "both", "sandwich", "graph", "time", "heap", "contention", "labels",
          "source", "summary", "tree", "traces")  # fmt: skip
_SPANS = ("10 s", "1 min", "All")
_TYPES = ("cpu", "samples", "heap", "contention")
_CHANGED_AT_S = 10  # in each minute
_MINUTE_MS = 2_000  # wall clock, approximately
_LOOKED_AT_S = 0.7  # wall clock, at least: time for two paints
_LENGTH = struct.Struct("<I")


def write_session(path: str, pid: int, n_seconds: int) -> None:
    """Write the messages of each second, those of the beginning first: their number, and each with
    its length."""
    engine, chance = SyntheticEngine(pid), random.Random(1)
    stacks = make_stacks(N_STACKS, DEPTH)
    plain = [stack for _, stack in stacks]
    engine.heap_rate = 1
    with Path(path).open("wb") as file:
        for second in range(n_seconds):
            if second == 0:
                held = chance.sample(plain, N_BUCKETS)
                engine.send_hello()
                # Times after the viewer has connected, because it ignores earlier data.
                engine.send_ready(ago_s=-_LATER_S)
                engine.send_heap(*((stack, 2, 500, 1) for stack in held), at_s=0.2)
            first = chance.randrange(N_STACKS - N_SAMPLES)
            engine.send_samples(stacks[first : first + N_SAMPLES], unit=second * _UNITS_PER_S)
            changed = chance.sample(range(N_BUCKETS), N_SUMS)
            sums = ((bucket, 2 + 20 * second, 500, 1 + 19 * second) for bucket in changed)
            engine.send_sums(*sums, at_s=second + 0.5, has_events=True)
            waits: list[Wait] = []
            for stack in chance.sample(plain[:500], N_WAITS):
                lock = f"app.LOCK_{chance.randrange(300)}"
                tid, ns = 100 + chance.randrange(40), chance.randrange(1, 10**8)
                waits.append((0, lock, stack, (), tid, 1, ns))
            engine.send_contention(*waits, at_s=second + 0.6)
            engine.send_status(time_ns=engine.started_ns + (second + 1) * 10**9)
            packed = engine.pack_what_is_queued()
            file.write(_LENGTH.pack(len(packed)))
            for message in packed:
                file.write(_LENGTH.pack(len(message)) + message)


def read_session(path: Path) -> Iterator[list[bytes]]:
    """Yield the messages of each second."""
    with path.open("rb") as file:
        while head := file.read(_LENGTH.size):
            sizes = (_LENGTH.unpack(file.read(_LENGTH.size)) for _ in range(*_LENGTH.unpack(head)))
            yield [file.read(size) for (size,) in sizes]


def read_memory(field: str) -> float:
    """Return VmRSS or VmHWM of this process, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0]) / 1024
    raise AssertionError(f"there is no {field}")


def wait_until(is_done: Callable[[], bool]) -> None:
    """Run the event loop until something is done."""
    loop, poll = QEventLoop(), QTimer()
    poll.timeout.connect(lambda: loop.quit() if is_done() else None)
    poll.start(1)
    loop.exec()


def wait(seconds: float) -> None:
    """Run the event loop for so long."""
    until_s = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > until_s)


def watch(path: Path, n_seconds: int, folder: Path) -> list[tuple[str, float]]:
    """Attach, and show everything. Returns the memory at the start, the quarters and the end."""
    qt = QApplication([])
    app = App(
        qt, QSettings(str(folder / "settings.conf"), QSettings.Format.IniFormat), is_quiet=True
    )
    app.window.resize(1600, 900)
    app.window.show()
    app.start_warm_up()  # as ``launch`` does
    found = [("start page", read_memory("VmRSS"))]
    engine = SyntheticEngine(os.getpid())
    views, spans, types = cycle(_VIEWS), cycle(_SPANS), cycle(_TYPES)
    with (
        mock.patch.object(composition, "connect_engine", return_value=engine),
        mock.patch.object(freed_memory, "EVERY_MS", _MINUTE_MS),
    ):
        document = app.attach(make_target(os.getpid(), 100))
        wait_until(lambda: document in app.documents.values())
        ((page, _),) = app.documents.items()
        for second, messages in enumerate(read_session(path)):
            for message in messages:
                engine.send_again(message)
            wait_until(lambda: not engine._out)
            if second % 60 == _CHANGED_AT_S:
                assert document.info is not None, "nothing is shown"
                entries = document.info.choice.entries
                document.choose_entry(entries.index(next(types)))
                document.span_wanted.emit(next(spans))
                page.show_view(next(views))
                wait(_LOOKED_AT_S)
                assert document.scene is not None, "there is nothing to show"
                assert document.scene.total, "an empty view takes no memory"
            if (second + 1) % (n_seconds // 4) == 0:
                wait(1.0)
                found.append((f"{second + 1} s", read_memory("VmRSS")))
    app.close()
    return [*found, ("peak", read_memory("VmHWM"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{_QUICK_MINUTES} minutes")
    parser.add_argument("--minutes", type=int, default=60, help="of the session")
    arguments = parser.parse_args()
    n_seconds = 60 * (_QUICK_MINUTES if arguments.quick else arguments.minutes)
    with tempfile.TemporaryDirectory(prefix="stackglass-bench-") as name:
        path = Path(name) / "session"
        writer = multiprocessing.get_context("spawn").Process(
            target=write_session, args=(str(path), os.getpid(), n_seconds)
        )
        writer.start()
        writer.join()
        assert writer.exitcode == 0, "the session could not be made"
        found = watch(path, n_seconds, Path(name))
    table = Table(f"Memory of the viewer, {n_seconds} s of everything, MiB", corner="when")
    for when, mib in found:
        table.put(when, f"resident (≤ {BUDGET_MIB})", f"{mib:.0f}")
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
