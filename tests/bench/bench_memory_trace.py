"""The memory trace: opening, any moment, the heap map, and resident memory.

    python tests/bench/run_all.py memory_trace

Writes a trace of 100 million events (a minute, 300 MiB), with a million live objects, and deletes
it; ``--quick``: 5 million events. ``--start=N``: with N million objects from before the trace.
Goals: any moment in at most 100 ms, a map of 1000 × 600 cells in at most 100 ms, at most 1 GiB
resident. CPU time is printed, too, for shared machines. There is no peer: no other viewer opens
such a trace.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memory_load import write_trace

from stackglass_viewer.model.memory_trace.heap_map import MapKey, MapWindow
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.opening import open_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

_SHAPE = (600, 1000)
_MOMENTS = 40
_MIB = 1 << 20


def main() -> None:
    n_wanted = 5_000_000 if "--quick" in sys.argv else 100_000_000
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "big.sgm"
        began = time.perf_counter()
        written = multiprocessing.Process(target=write_trace, args=(path, n_wanted, _read_start()))
        written.start()
        written.join()
        assert written.exitcode == 0
        size = path.stat().st_size
        print(f"written in {time.perf_counter() - began:.0f} s, load {os.getloadavg()[0]:.0f}")
        before = _peak_mib()
        began, used = time.perf_counter(), time.process_time()
        trace = open_trace(path, folder=Path(made))
        took, used = time.perf_counter() - began, time.process_time() - used
        n_events = trace.index.end.event
        print(f"{n_events:,} events, {size / _MIB:.0f} MiB: {size / n_events:.2f} bytes an event")
        print(
            f"opened in {took:.1f} s, {used:.1f} s of CPU: {used / n_events * 1e9:.0f} ns an event"
        )
        side = trace.index.side_file.n_bytes / _MIB
        print(f"{len(trace.index.checkpoints)} checkpoints, side file {side:.0f} MiB")
        measure(trace)
        print(f"resident: {_now_mib():.0f} MiB now, {_peak_mib():.0f} at most, {before:.0f} before")
        trace.close()


def _read_start() -> int:
    given = [each.partition("=")[2] for each in sys.argv if each.startswith("--start=")]
    return int(float(given[0]) * 1_000_000) if given else 0


def measure(trace: MemoryTrace) -> None:
    """Measure random moments, and maps of several windows."""
    rng = random.Random(4)
    end = trace.index.end

    def go_to_moment() -> None:
        trace.sum_live(trace.find_moment(rng.randrange(end.time_ns)))

    _report("any moment, live set by site", go_to_moment, _MOMENTS)
    _report("the peak", lambda: trace.sum_live(trace.index.peak), 3)
    whole = trace.whole
    for key in MapKey:
        _report(f"map, whole, by {key.value}", partial(_draw, trace, whole, key), 3)
    for share in (0.3, 0.03, 0.005):

        def draw_part(share: float = share) -> None:
            span = int(whole.end_ns * share)
            begin = rng.randrange(whole.end_ns - span)
            low = rng.randrange(whole.high // 2)
            _draw(trace, MapWindow(begin, begin + span, low, low + whole.high // 4), MapKey.SITE)

        _report(f"map, {share:.1%} of the time, a quarter of the addresses", draw_part, 8)
    heap_map = trace.draw_map(whole, _SHAPE, MapKey.TYPE)

    def click() -> None:
        trace.list_cell(heap_map, rng.randrange(600), rng.randrange(1000), 1)

    _report("a click on the map", click, 15)
    middle = trace.find_moment(end.time_ns // 2)
    _report(
        "allocations of a third of the time by site",
        lambda: trace.sum_allocations(Moment(end.event // 3, 0), middle),
        3,
    )


def _draw(trace: MemoryTrace, window: MapWindow, key: MapKey) -> None:
    trace.draw_map(window, _SHAPE, key)


def _report(what: str, run: Callable[[], object], times: int) -> None:
    took, used = [], []
    for _ in range(times):
        began, cpu_began = time.perf_counter(), time.process_time()
        run()
        took.append(1e3 * (time.perf_counter() - began))
        used.append(1e3 * (time.process_time() - cpu_began))
    print(
        f"{what}: median {statistics.median(took):.0f} ms, worst {max(took):.0f}; "
        f"of CPU {statistics.median(used):.0f}, worst {max(used):.0f}",
        flush=True,
    )


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _now_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / _MIB


if __name__ == "__main__":
    main()
