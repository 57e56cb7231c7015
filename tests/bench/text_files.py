"""Large texts of each format that is read line by line, for `bench_text_readers`.

Each has many distinct lines: 20 000 stacks of 2000 functions with six calls each. Stacks are 30
deep, those of goroutines and threads 10.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

N_FUNCTIONS, N_CALLS, N_STACKS, DEPTH, SHORT = 2000, 6, 20_000, 30, 10
LIBRARY_BASE, GO_BASE = 0x7F0000000000, 0x400000


class Format(NamedTuple):
    """A text format, and how a plain loop splits its lines."""

    name: str
    separators: str  # of fields in a line
    write: Callable[[random.Random], Iterator[str]]  # different lines; repeated to the file's size
    head: str = ""  # written once


def write_file(path: Path, each: Format, n_bytes: int) -> None:
    """Write a text of at least so many bytes."""
    lines = "".join(each.write(random.Random(7)))
    with path.open("w", encoding="ascii") as file:
        file.write(each.head)
        for _ in range(-(-n_bytes // len(lines))):
            file.write(lines)


def name_function(number: int) -> tuple[str, str, int]:
    word = ("load", "parse", "save", "render", "query", "encode", "merge")[number % 7]
    return f"{word}_{number}", f"shop/views_{number % 97}.py", number % 900 + 1


def make_stacks(rng: random.Random, depth: int = DEPTH) -> list[list[int]]:
    return [rng.choices(range(N_FUNCTIONS), k=depth) for _ in range(N_STACKS)]


def write_raw(rng: random.Random) -> Iterator[str]:
    places = [
        f"{name} ({file}:{line})" for name, file, line in map(name_function, range(N_FUNCTIONS))
    ]
    for stack in make_stacks(rng):
        frames = ";".join(places[each] for each in stack)
        yield f"thread (0x7F{rng.randrange(8):06X});{frames} {rng.randrange(1, 50)}\n"


def write_austin(rng: random.Random) -> Iterator[str]:
    places = [
        f"{file}:{name}:{line}" for name, file, line in map(name_function, range(N_FUNCTIONS))
    ]
    for stack in make_stacks(rng):
        frames = ";".join(places[each] for each in stack)
        yield f"P4711;T0:{4711 + rng.randrange(8)};{frames} {rng.randrange(1, 20_000)}\n"


def write_perf_script(rng: random.Random) -> Iterator[str]:
    for number, stack in enumerate(make_stacks(rng)):
        where = f"{4711 + rng.randrange(8)} [{rng.randrange(4):03}] {100 + number / 100:.6f}:"
        yield f"python3 {where}   10101010 cpu-clock:pppH: \n"
        for each in stack:
            name, offset = name_function(each)[0], rng.randrange(4096)
            address = 0x7F0000000000 + 4096 * each + offset
            yield f"\t{address:16x} {name}+0x{offset:x} (/usr/lib/lib{each % 40}.so)\n"
        yield "\n"


def write_recurring_perf_script(rng: random.Random) -> Iterator[str]:
    """Write fewer distinct lines, as loops of a program make them."""
    for number, stack in enumerate(make_stacks(rng)):
        yield f"python3 4711 {100 + number / 100:.6f}:   10101010 cpu-clock:pppH: \n"
        for each in stack:
            name, offset = name_function(each)[0], 16 * rng.randrange(N_CALLS)
            address = 0x7F0000000000 + 4096 * each + offset
            yield f"\t{address:16x} {name}+0x{offset:x} (/usr/lib/lib{each % 40}.so)\n"
        yield "\n"


def write_callgrind(rng: random.Random) -> Iterator[str]:
    for number, stack in enumerate(make_stacks(rng)):
        function = number % N_FUNCTIONS
        name, file, line = name_function(function)
        yield f"fl=({function % 97}) {file}\nfn=({function}) {name}\n"
        for each in stack:
            yield f"{line + each % 50} {rng.randrange(1 << 20)} {rng.randrange(1 << 12)}\n"
            callee, callee_file, callee_line = name_function(each)
            yield f"cfi=({each % 97}) {callee_file}\ncfn=({each}) {callee}\n"
            yield f"calls={rng.randrange(1, 99)} {callee_line}\n"
            yield f"+{each % 9} {rng.randrange(1 << 24)} {rng.randrange(1 << 16)}\n"


def make_addresses(rng: random.Random, base: int = LIBRARY_BASE) -> Iterator[list[int]]:
    """Yield addresses in libraries; ``base``: of a program at the beginning of memory, as in Go."""
    for stack in make_stacks(rng):
        yield [base + 4096 * each + 16 * rng.randrange(N_CALLS) for each in stack]


def write_addresses(addresses: list[int]) -> str:
    return " ".join(map(hex, addresses))


def write_names(addresses: list[int]) -> str:
    """Write the comments below a row, as Go and Stackglass do."""
    lines = []
    for address in addresses:
        name, file, line = name_function((address - GO_BASE) >> 12)
        lines.append(f"#\t{address:#x}\t{name}+{address & 0xFF:#x}\t{file}:{line + address % 7}\n")
    return "".join(lines) + "\n"


def write_heap(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng):
        count, size = rng.randrange(1, 99), 16 << rng.randrange(9)
        sums = f"{count}: {count * size} [{count * 3}: {count * 3 * size}]"
        yield f"{sums} @ {write_addresses(addresses)}\n"


def write_named_heap(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng, GO_BASE):
        count, size = rng.randrange(1, 99), 16 << rng.randrange(9)
        sums = f"{count}: {count * size} [{count * 3}: {count * 3 * size}]"
        yield f"{sums} @ {write_addresses(addresses)}\n{write_names(addresses)}"


def write_contention(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng):
        yield f"{rng.randrange(1 << 30)} {rng.randrange(1, 99)} @ {write_addresses(addresses)}\n"


def write_counts(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng):
        yield f"{rng.randrange(1, 99)} @ {write_addresses(addresses)}\n"


def write_named_counts(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng, GO_BASE):
        yield f"{rng.randrange(1, 9)} @ {write_addresses(addresses)}\n{write_names(addresses)}"


def write_jemalloc(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng):
        count, size = rng.randrange(1, 99), 16 << rng.randrange(9)
        sums = f"{count}: {count * size} [0: 0]"
        yield f"@ {write_addresses(addresses)}\n  t*: {sums}\n  t0: {sums}\n"


def write_goroutines(rng: random.Random) -> Iterator[str]:
    states = ("chan receive", "select", "IO wait", "semacquire", "running")
    for number, stack in enumerate(make_stacks(rng, SHORT)):
        minutes = f", {rng.randrange(1, 600)} minutes" if number % 3 else ""
        yield f"goroutine {number * 7 + 1} [{states[number % 5]}{minutes}]:\n"
        for each in stack:
            name, file, line = name_function(each)
            yield f"main.{name}(0xc{rng.randrange(1 << 36):09x}, {rng.randrange(99):#x})\n"
            yield f"\t/srv/{file}:{line + each % N_CALLS} +0x{rng.randrange(1 << 10):x}\n"
        yield f"created by main.serve in goroutine {rng.randrange(1000)}\n\t/srv/main.go:12 +0x1d\n"
        yield "\n"


def write_threads(rng: random.Random) -> Iterator[str]:
    for number, stack in enumerate(make_stacks(rng, SHORT)):
        state = f"waiting: Lock app.lock{number % 40}, {rng.randrange(1, 60)} minutes"
        if number % 2:
            yield f'thread {4711 + number} "worker-{number}" [{state}] {{route: /{number % 50}}}:\n'
        else:
            yield f'task 0x7f{rng.randrange(1 << 32):08x} "Task-{number}" [suspended: sleep]:\n'
        for each in stack:
            name, file, line = name_function(each)
            yield f"app.{name}(...)\n\t/srv/{file}:{line + each % N_CALLS}\n"
        yield "created by app.serve in thread 4711\n\n"


def write_massif(rng: random.Random) -> Iterator[str]:
    yield "snapshot=1\ntime=7\nmem_heap_B=20000000\nmem_heap_extra_B=16\nmem_stacks_B=0\n"
    yield f"heap_tree=detailed\nn{N_STACKS}: 20000000 (heap allocation functions) malloc\n"
    for stack in make_stacks(rng):
        for depth, each in enumerate(stack, 1):
            name, file, line = name_function(each)
            address = GO_BASE + 4096 * each + 16 * rng.randrange(N_CALLS)
            n_below = 1 if depth < DEPTH else 0
            yield f"{' ' * depth}n{n_below}: 1000 0x{address:X}: {name} ({file}:{line})\n"


def write_threadz(rng: random.Random) -> Iterator[str]:
    for number, addresses in enumerate(make_addresses(rng)):
        yield f"--- Thread 7f{number:010x} (name: worker/{4711 + number}) stack: ---\n"
        for place, address in enumerate(addresses):
            name = name_function((address - LIBRARY_BASE) >> 12)[0]
            yield f"  {'PC: ' if place == 0 else '    '} {address:#018x}: {name}(arg *)\n"


def write_java(rng: random.Random) -> Iterator[str]:
    for addresses in make_addresses(rng):
        count = rng.randrange(1, 99)
        yield f"{count * 512:18} {count:5} @ {write_addresses(addresses)}\n"


def write_tachyon(rng: random.Random) -> Iterator[str]:
    common = {"v": 0, "run_id": "a"}
    for first in range(0, N_STACKS * 6, 1000):
        numbers = range(first, first + 1000)
        names = [name_function(each % N_FUNCTIONS) for each in numbers]
        strings = [{"str_id": each, "value": names[each - first][0]} for each in numbers]
        frames = [
            {"frame_id": each, "path_str_id": each, "func_str_id": each, "line": each % 900}
            for each in numbers
        ]
        entries = [{"frame_id": each, "self": 1, "cumulative": 5} for each in numbers]
        for record in (
            {"type": "string_table", **common, "strings": strings},
            {"type": "frame_table", **common, "frames": frames},
            {"type": "agg", **common, "kind": "frame", "entries": entries},
        ):
            yield json.dumps(record) + "\n"
    end = {"type": "end", **common, "samples_total": rng.randrange(1 << 40, 1 << 41)}
    yield json.dumps(end) + "\n"


_HEAP = "heap profile: 1: 2 [3: 4] @ heap/1048576\n"
_TACHYON = '{"type": "meta", "v": 0, "run_id": "a", "sample_interval_usec": 1000}\n'
_COUNTS = "goroutine profile: total 8\n"
FORMATS = (
    Format("py-spy raw", ";", write_raw),
    Format("Austin", ";", write_austin),
    Format("perf script", " \t", write_perf_script),
    Format("perf script, lines recur", " \t", write_recurring_perf_script),
    Format("callgrind", " =", write_callgrind, "version: 1\nevents: Ir Dr\n"),
    Format("heap", " ", write_heap, _HEAP),
    Format("heap with names", " \t", write_named_heap, _HEAP),
    Format("contention", " ", write_contention, "--- contention:\ncycles/second=1000000000\n"),
    Format("counts", " ", write_counts, _COUNTS),
    Format("goroutines debug=1", " \t", write_named_counts, _COUNTS),
    Format("jemalloc", " ", write_jemalloc, "heap_v2/524288\n  t*: 1: 2 [0: 0]\n"),
    Format("goroutines debug=2", " \t", write_goroutines),
    Format("threads debug=2", " \t", write_threads),
    Format("massif", " ", write_massif, "desc: --time-unit=B\ncmd: ./app\ntime_unit: B\n"),
    Format("threadz", " ", write_threadz, "--- threadz 1 ---\n\n"),
    Format("Java", " ", write_java, "--- heapz 1 ---\nformat = java\nresolution = bytes\n"),
    Format("Tachyon's JSON lines", ",", write_tachyon, _TACHYON),
)
