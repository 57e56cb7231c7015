"""Opening files of 1, 10, 100 and 400 MB: processor time and memory, beside speedscope and Go.

    STACKGLASS_SPEEDSCOPE=open.js python tests/bench/run_all.py formats
    python tests/bench/bench_formats.py [--quick] [collapsed.txt] [speedscope.json] [pprof]

``open.js`` contains speedscope's importers for Node. To make it, install speedscope's packages in a
checkout of it, copy this folder's speedscope_open.ts there, and run:

    npx esbuild speedscope_open.ts --bundle --platform=node --loader:.wasm=empty --outfile=open.js

Without it the column is empty. Every figure is from a process of its own. It includes reading the
file, but not the start of Python or Node; Go's figures include its start. A process is ended after
two minutes of processor time.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from big_profile import find_profile

from harness.go_tool import find_go
from harness.report import Table

SIZES_MB = (1, 10, 100, 400)
SAMPLES_A_MB = 11_500  # of pprof
MOST_CPU_S = 120
N_FUNCTIONS, N_STACKS = 3000, 5000

_OPEN = """
import json, pathlib, sys, time
from stackglass_viewer.model.readers.opener import open_profile
start = time.process_time()
open_profile(sys.argv[1])
used = time.process_time() - start
status = pathlib.Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print(json.dumps({"cpu_s": used, "peak_bytes": peak}))
"""


def make_stacks() -> list[list[int]]:
    rng = random.Random(4)
    return [
        [rng.randrange(N_FUNCTIONS) for _ in range(rng.randrange(8, 30))] for _ in range(N_STACKS)
    ]


def name_function(number: int) -> str:
    return f"package{number % 97}.module{number % 1009}.function_{number}"


def write_collapsed(n_bytes: int) -> Iterator[str]:
    rng, written = random.Random(5), 0
    lines = [
        ";".join(f"{name_function(each)} (/srv/app.py:{each % 900})" for each in stack)
        for stack in make_stacks()
    ]
    while written < n_bytes:
        line = f"{rng.choice(lines)} {rng.randrange(1, 99)}\n"
        written += len(line)
        yield line


def write_evented(n_bytes: int) -> Iterator[str]:
    rng, stacks = random.Random(6), make_stacks()
    frames = [{"name": name_function(each), "file": "/srv/app.py"} for each in range(N_FUNCTIONS)]
    yield '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":'
    yield f'{json.dumps(frames)}}},"profiles":[{{"type":"evented","name":"main",'
    yield '"unit":"microseconds","startValue":0,"endValue":1e12,"events":['
    opened: list[int] = []
    written, at, comma = 0, 0, ""
    while written < n_bytes or opened:
        stack = rng.choice(stacks) if written < n_bytes else []
        n_kept = rng.randrange(min(len(opened), len(stack)) + 1)
        events = [("C", frame) for frame in reversed(opened[n_kept:])]
        events += [("O", frame) for frame in stack[n_kept:]]
        opened = [*opened[:n_kept], *stack[n_kept:]]
        for kind, frame in events:
            text = f'{comma}{{"type":"{kind}","frame":{frame},"at":{at}}}'
            comma = ","
            written += len(text)
            yield text
        at += rng.randrange(1, 1000)
    yield "]}]}"


WRITERS: dict[str, Callable[[int], Iterator[str]]] = {
    "collapsed.txt": write_collapsed,
    "speedscope.json": write_evented,
}


def find_file(folder: Path, name: str, size_mb: int) -> Path:
    if name == "pprof":
        return find_profile(size_mb * SAMPLES_A_MB)
    path = folder / f"{size_mb}.{name}"
    with path.open("w", encoding="ascii") as file:
        file.writelines(WRITERS[name](size_mb * 1_000_000))
    return path


def limit_cpu() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))


def measure(*command: str) -> tuple[float, int] | None:
    """Return CPU seconds and peak bytes that a process reports; None = no answer."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        preexec_fn=limit_cpu,
    )
    if done.returncode != 0 or not done.stdout:
        return None
    answer = json.loads(done.stdout)
    return answer["cpu_s"], answer["peak_bytes"]


def measure_go(path: Path) -> tuple[float, int]:
    """Return the same for ``go tool pprof -proto``, with its start."""
    command = [find_go(), "tool", "pprof", "-symbolize=none", "-output", os.devnull, "-proto"]
    child = subprocess.Popen(
        [*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, "go tool pprof -proto failed"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def describe(figures: tuple[float, int] | None, n_bytes: int) -> str:
    if figures is None:
        return "fails"
    cpu_s, peak_bytes = figures
    return f"{cpu_s:.2f} s, {peak_bytes / n_bytes:.1f}×"


def main() -> int:
    is_quick = "--quick" in sys.argv[1:]
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    speedscope = os.environ.get("STACKGLASS_SPEEDSCOPE")
    table = Table("Opening files: processor time, peak memory ÷ file", corner="file")
    with tempfile.TemporaryDirectory(prefix="bench-formats-") as folder:
        for name in chosen or (*WRITERS, "pprof"):
            fails = False
            for size_mb in SIZES_MB[:2] if is_quick else SIZES_MB:
                path = find_file(Path(folder), name, size_mb)
                row, n_bytes = f"{name}, {size_mb} MB", path.stat().st_size
                own = measure(sys.executable, "-c", _OPEN, str(path))
                table.put(row, "Stackglass", describe(own, n_bytes))
                answer = None
                if speedscope and not fails:
                    answer = measure("node", "--max-old-space-size=12000", speedscope, str(path))
                    fails = answer is None
                table.put(row, "speedscope", describe(answer, n_bytes) if speedscope else "–")
                is_go = name == "pprof"
                table.put(row, "go -proto", describe(measure_go(path), n_bytes) if is_go else "–")
                print(row, "own", own, "speedscope", answer, flush=True)
                if not is_go:
                    path.unlink()
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
