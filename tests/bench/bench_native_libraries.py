"""Native time of well-known libraries: how much has a name, and in which functions it is.

    python tests/bench/bench_native_libraries.py [--quick] [PYTHON [LIBRARY…]]

PYTHON has the libraries installed; by default it is the Python that runs this file. Missing
libraries are left out. There are two tables for each. The first is about a recording from the
program's start: the share of native time in functions with a name, the share below such a function
(of the same library, without a Python function between), and the share of truncated stacks. The
second has the sampled functions, as ``record --native``, ``py-spy record --native`` and ``perf
record`` see one process, in turns. Time in the kernel counts as the function that called it. The
interpreter's own functions are one row: py-spy leaves them out. "chance" is two standard errors of
the difference between two tools.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench_native_shares import BENCH, CORE, TOOLS
from native_library_load import PREPARE

from harness.report import Table
from harness.saved_profile import Row, SavedProfile
from stackglass.symbols.demangler import demangle
from stackglass.symbols.names import clean_symbol, is_interpreter, name_library

LOAD = BENCH / "native_library_load.py"
TURN_S = 6
SHOWN_PERCENT = 3.0
INTERPRETER = ("interpreter", "")
ONE_THREAD = {
    name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
}
NAMELESS = re.compile(r": 0x[0-9a-f]+$|^<native>$|\[JIT code\]$|^JIT: \[unnamed\]$")

Place = tuple[str, str]  # library and function
Shares = Counter[Place]  # samples by place


def is_native(name: str) -> bool:
    return ": " in name or name == "<native>"


def is_under_name(row: Row) -> bool:
    """Whether its function has a name, or a caller in the same library has."""
    library = row.stack[-1].partition(": ")[0]
    for name in reversed(row.stack):
        if not is_native(name):
            return False
        if name.partition(": ")[0] == library and not NAMELESS.search(name):
            return True
    return False


def measure_names(python: str, library: str, seconds: str, folder: Path) -> dict[str, str]:
    """Return the cells of a row about native time; empty if the library is not installed."""
    output = folder / "names.pb.gz"
    command = [sys.executable, "-m", "stackglass", "record", "--native", "--cpu-hz", "1000"]
    done = subprocess.run(
        [*command, "-o", str(output), "--", python, str(LOAD), library, seconds],
        cwd=CORE,
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        return {}
    rows = [row for row in SavedProfile.read(output).rows if is_native(row.stack[-1])]
    total = sum(row.values[0] for row in rows)
    kinds = {
        "has a name": [row for row in rows if not NAMELESS.search(row.stack[-1])],
        "under a name": [row for row in rows if is_under_name(row)],
        "cut": [row for row in rows if "<truncated>" in row.stack],
    }
    cells = {
        kind: f"{sum(row.values[0] for row in found) / total:.1%}" for kind, found in kinds.items()
    }
    return {**cells, "samples": str(total)}


def clean(symbol: str) -> str:
    """Return the last part of a function's name, which all tools show, mangled or not; of the C
    library's two names for a function (``__brk``, ``brk``), the plain one.

    >>> clean("core::slice::sort::quicksort::<(u32, f64), fn(u8) -> bool>")
    'quicksort'
    >>> clean("void pocketfft::detail::(anonymous namespace)::rfftp<double>::exec<double>(double*)")
    'exec'
    """
    text = demangle(clean_symbol(symbol))
    text = re.sub(r"->|\(anonymous(?: namespace)?\)|::h[0-9a-f]{16}$| \[.*", "", text)
    before = ""
    while text != before:
        text, before = re.sub(r"<[^<>]*>", "", text), text
    parts = [part for part in text.partition("(")[0].split("::") if part]
    return parts[-1].rpartition(" ")[2].lstrip("_") if parts else symbol


def place(path: str, symbol: str) -> Place:
    library = name_library(path)
    if is_interpreter(path):
        return INTERPRETER
    is_named = symbol and not NAMELESS.search(f": {symbol}") and symbol != "[unknown]"
    return library, clean(symbol) if is_named else "(no symbol)"


def read_stackglass(path: Path) -> Shares:
    message = SavedProfile.read(path).message
    texts = message.string_table
    functions = {each.id: each for each in message.function}
    mappings = {each.id: texts[each.filename] for each in message.mapping}
    locations = {each.id: each for each in message.location}
    found: Shares = Counter()
    for sample in message.sample:
        for number in sample.location_id:
            location = locations[number]
            function = functions[location.line[-1].function_id]  # not what was inlined into it
            name = texts[function.name]
            if not name.startswith("kernel: "):
                break
        symbol = texts[function.system_name].rpartition(": ")[2]
        if location.mapping_id and is_native(name):
            found[place(mappings[location.mapping_id], symbol)] += sample.value[0]
        else:
            is_python = not is_native(name) and not name.startswith("<")  # <no Python thread>
            found[INTERPRETER if is_python else ("", name)] += sample.value[0]
    return found


def read_py_spy(path: Path) -> Shares:
    found: Shares = Counter()
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        symbol, _, where = stack.rpartition(";")[2].rpartition(" (")
        file = where.rstrip(")").partition(":")[0]
        is_python = not re.search(r"\.so(?:\.|$)", file)
        found[INTERPRETER if is_python else place(file, symbol)] += int(count)
    return found


def read_perf(path: Path) -> Shares:
    command = ["perf", "script", "-i", str(path), "-F", "ip,sym,dso"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: Shares = Counter()
    for stack in text.split("\n\n"):
        frames = re.findall(r"^\s*([0-9a-f]+) (.*) \((.*?)\)$", stack, re.M)
        user = [frame for frame in frames if int(frame[0], 16) < 1 << 63]
        if user:
            _, symbol, file = user[0]
            found[place(file, symbol)] += 1
    return found


READERS = {"stackglass": read_stackglass, "py-spy": read_py_spy, "perf": read_perf}


def watch(python: str, library: str, n_turns: int, folder: Path) -> dict[str, Shares]:
    """Run one process, watched by each tool in turn."""
    tools = {tool: words for tool, words in TOOLS.items() if shutil.which(words[0])}
    found: dict[str, Shares] = {tool: Counter() for tool in tools}
    # The process is ended when all tools have watched it.
    target = subprocess.Popen(
        [python, str(LOAD), library, "3600"],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert target.stdout is not None
    try:
        target.stdout.readline()  # it has begun
        for _ in range(n_turns):
            for tool, words in tools.items():
                output = folder / tool
                facts = {"FILE": str(output), "PID": str(target.pid), "20": str(TURN_S)}
                command = [facts.get(word, word) for word in words]
                if tool == "perf":  # callers only as far as the kernel's: stack copies cost much
                    command = [{"dwarf": "fp"}.get(word, word) for word in command]
                subprocess.run(command, cwd=CORE, capture_output=True, check=True)
                found[tool] += READERS[tool](output)
    finally:
        target.kill()
        target.wait()
    return found


def add_libraries(shares: Shares) -> Shares:
    """Add a row ``*`` for each library."""
    sums: Shares = Counter()
    for (library, _), count in shares.items():
        sums[library, "*"] += count
    return shares | Counter({each: n for each, n in sums.items() if each[0] != INTERPRETER[0]})


def put_functions(table: Table, library: str, found: dict[str, Shares]) -> None:
    totals = {tool: shares.total() for tool, shares in found.items()}
    found = {tool: add_libraries(shares) for tool, shares in found.items()}
    percent = {
        tool: {each: 100 * count / totals[tool] for each, count in shares.items()}
        for tool, shares in found.items()
    }
    largest: dict[Place, float] = {}
    for shares in percent.values():
        for each, share in shares.items():
            largest[each] = max(largest.get(each, 0.0), share)
    for each in sorted(largest, key=lambda one: -largest[one]):
        if largest[each] < SHOWN_PERCENT:
            break
        row = f"{library} · {': '.join(each).rstrip(': ')}"
        for tool in found:
            table.put(row, tool, f"{percent[tool].get(each, 0.0):.1f}")
        share = largest[each] / 100
        variance = [share * (1 - share) / total for total in totals.values()]
        table.put(row, "chance", f"{200 * math.sqrt(variance[0] + max(variance[1:])):.1f}")
    table.notes.append(f"{library}: samples {totals}")


def main() -> None:
    python, *wanted = [word for word in sys.argv[1:] if word != "--quick"] or [sys.executable]
    is_quick = "--quick" in sys.argv[1:]
    for library in wanted or PREPARE:
        with tempfile.TemporaryDirectory(prefix="libraries-") as name:
            folder = Path(name)
            cells = measure_names(python, library, "2" if is_quick else "4", folder)
            if not cells:
                print(f"{library}: not there")
                continue
            names = Table("names", corner="native time")
            for column, text in cells.items():
                names.put(library, column, text)
            print("\n".join(names.format_lines()), flush=True)
            functions = Table("functions", corner="percent of samples")
            put_functions(functions, library, watch(python, library, 1 if is_quick else 3, folder))
            print("\n".join(functions.format_lines()), flush=True)


if __name__ == "__main__":
    main()
