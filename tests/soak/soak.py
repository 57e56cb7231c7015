"""Profile heap and locks of a busy program for minutes, with many attaches and detaches.

    make soak                            ten minutes
    STACKGLASS_SOAK_S=60 make soak       so many seconds
    STACKGLASS_SOAK_SEED=7 make soak     the visits of an earlier run again

On three Pythons, one after the other, ``targets/soak.py`` is attached to for a few seconds at a
time, at heap rate 4096, with collections, censuses, lock and GIL profiles, other rates and second
clients; a visit ends by a detach or by a disconnect. The last fifth is one session with every
profile. These conditions are checked:

* the program ends normally, with the same result as alone, and writes nothing else
* nothing is left behind between visits: threads, descriptors, sockets, signal handlers
* memory from malloc and mapped memory do not grow with the number of visits, and in a long session
  the engine's tables stop growing. (Resident memory is shown, but not checked: malloc keeps freed
  memory for later threads, and its arenas get holes.)

It is not a test of the suite, because it takes long and its memory limits fit one program.
"""

from __future__ import annotations

import json
import os
import random
import time
from typing import NamedTuple

from harness.proc_state import compare, read_proc_state, read_tasks, sum_anonymous_bytes
from harness.pythons import Python, pythons_with_gil
from harness.session import Session
from harness.targets import Target

RATE = 4096
MINORS = (9, 13, 15)
DEEDS = ("collect", "census", "rate", "locks", "locks", "second", "hz", "nothing")
LONG_SHARE = 0.2  # share of the time for one long session
LEFT_PATIENCE_S = 10.0
ROUNDS_PATIENCE_S = 30.0
MIN_VISITS = 3  # visits in a third, needed to check growth
MAX_USED_BYTES = 4096  # growth of malloc's memory per visit
MAX_MAPPED_BYTES = 256 * 1024  # growth of anonymous address space per visit; arenas vary
MAX_TABLE_GROWTH = 1.25  # ratio in a long session's second half
MAX_MORE_HALVES = 2  # to wait until tables stop growing

Facts = dict[str, object]


class Memory(NamedTuple):
    """Memory of a process between two visits, in bytes."""

    used: int  # allocated by malloc; 0 = unknown to its C library
    mapped: int  # anonymous address space
    resident: int  # anonymous


class Found(NamedTuple):
    """Result of one Python's soak."""

    label: str
    memory: list[Memory]  # after each visit
    used_growth: float  # bytes a visit
    mapped_growth: float
    table_growth: float
    n_samples: int
    n_lost: int
    longest_cpu_ms: float
    problems: list[str]


def main() -> int:
    seconds = float(os.environ.get("STACKGLASS_SOAK_S", "600"))
    seed = int(os.environ.get("STACKGLASS_SOAK_SEED", str(random.randrange(10**6))))
    pythons = [python for python in pythons_with_gil() if python.minor in MINORS]
    pythons = list({python.minor: python for python in pythons}.values())
    say(f"{seconds:.0f} s on {len(pythons)} Pythons, seed {seed}")
    is_well = bool(pythons)
    for python in pythons:
        found = soak(python, seconds / len(pythons), random.Random(seed))
        is_well &= not found.problems
        say(
            f"{found.label}: {len(found.memory)} visits, after each of them "
            f"{found.used_growth:+.0f} bytes of malloc's, mapped {found.mapped_growth:+.0f}; "
            f"tables × {found.table_growth:.2f} in the long one's second half; "
            f"{found.n_samples} samples, {found.n_lost} lost; "
            f"most work of a slice of a census {found.longest_cpu_ms:.1f} ms"
        )
        say(f"  malloc's, KiB:  {[one.used >> 10 for one in found.memory]}")
        say(f"  resident, KiB: {[one.resident >> 10 for one in found.memory]}")
        for problem in found.problems:
            say(f"  WRONG: {problem}")
    say("well" if is_well else "NOT WELL")
    return 0 if is_well else 1


def soak(python: Python, seconds: float, chance: random.Random) -> Found:
    """Visit one program again and again for some seconds."""
    problems: list[str] = []
    expected = run_alone(python)
    memory: list[Memory] = []
    totals = Totals()
    with Target(python, "soak.py") as target:
        before = look(target)
        end = time.monotonic() + seconds * (1 - LONG_SHARE)
        while time.monotonic() < end:
            visit(target, chance, totals)
            wait_until_left(target)
            memory.append(read_memory(target))
            problems += [f"visit {len(memory)}: {line}" for line in compare_looks(target, before)]
        table_growth = stay(target, seconds * LONG_SHARE, totals)
        last = target.finish()
        if last["result"] != expected:
            problems.append(f"it computed {last['result']}, and alone {expected}")
        if target.read_errors():
            problems.append(f"it wrote {target.read_errors()[-500:]!r}")
    used_growth = find_growth([one.used for one in memory])
    if used_growth > MAX_USED_BYTES:
        problems.append(f"{used_growth:.0f} bytes more of malloc's after each visit")
    mapped_growth = find_growth([one.mapped for one in memory])
    if mapped_growth > MAX_MAPPED_BYTES:
        problems.append(f"{mapped_growth:.0f} bytes more mapped after each visit")
    if table_growth > MAX_TABLE_GROWTH:
        problems.append(f"the tables grew × {table_growth:.2f} in the second half of a session")
    if totals.n_lost_frees:
        problems.append(f"{totals.n_lost_frees} frees were lost")
    return Found(
        python.label,
        memory,
        used_growth,
        mapped_growth,
        table_growth,
        totals.n_samples,
        totals.n_lost,
        totals.longest_cpu_ns / 1e6,
        problems,
    )


class Totals:
    """Sums over all sessions."""

    def __init__(self) -> None:
        self.n_samples = 0
        self.n_lost = 0
        self.n_lost_frees = 0
        self.longest_cpu_ns = 0

    def add(self, session: Session) -> None:
        status = session.heap.status
        if status is not None:
            self.n_samples += status.n_samples
            self.n_lost += status.n_lost
            self.n_lost_frees += status.n_lost_frees


def run_alone(python: Python) -> str:
    """Return the program's result without a profiler."""
    with Target(python, "soak.py") as target:
        last = target.finish()
        assert target.read_errors() == "", target.read_errors()
        return str(last["result"])


def visit(target: Target, chance: random.Random, totals: Totals) -> None:
    """Run a session of a few seconds."""
    with Session(target.pid, hz=chance.choice([0, 100, 1000])) as session:
        session.set_heap_rate(RATE, has_native=chance.random() < 0.8)
        for _ in range(chance.randrange(1, 4)):
            deed = chance.choice(DEEDS)
            if deed == "collect":
                session.collect()
            elif deed == "census":
                census = session.take_census()
                totals.longest_cpu_ns = max(totals.longest_cpu_ns, census.longest_cpu_ns)
            elif deed == "rate":
                session.set_heap_rate(chance.choice([1, 512, 1 << 19, 0]))
                session.read_for(chance.random() / 2)
                session.set_heap_rate(RATE)
            elif deed == "locks":
                fraction = chance.choice([0, 1, 10])
                session.set_contention_rates(
                    chance.choice([0, 1, 10_000] if fraction else [1, 10_000]),
                    fraction,  # never all off: then nothing would be hooked
                    chance.choice([0, 100]),
                    has_other=chance.random() < 0.5,
                    stall_ns=chance.choice([0, 20_000_000, 100_000_000]),
                )
                session.take_lock_waits()
            elif deed == "second":
                with Session(target.pid, hz=100) as second:
                    second.wait_for_heap()
            elif deed == "hz":
                session.set_rate(chance.choice([0, 97, 997]))
            session.read_for(chance.random())
        session.wait_for_heap(lambda status: status.n_samples > 0)
        if chance.random() < 0.3:
            session.ask_for_census()  # and leave during the census
        totals.add(session)
        if chance.random() < 0.6:
            session.detach()


def stay(target: Target, seconds: float, totals: Totals) -> float:
    """Run one long session. Returns the growth of its tables in the second half, as a ratio.

    On a machine so busy that the first half did not see every stack, it lasts longer: tables that
    grow for ever do so by a third even in the fourth half.
    """
    with Session(target.pid, hz=100) as session:
        session.set_heap_rate(RATE)
        session.set_contention_rates(10_000, 10, 100, has_other=True, stall_ns=100_000_000)
        session.read_for(seconds / 2)
        whole = session.wait_for_heap().table_bytes
        for _ in range(1 + MAX_MORE_HALVES):
            half = whole
            session.read_for(seconds / 2)
            whole = session.wait_for_heap().table_bytes
            if whole <= MAX_TABLE_GROWTH * half:
                break
        totals.add(session)
        session.detach()
    return whole / half


def look(target: Target) -> Facts:
    """Return the process's state from outside, without its own threads and children."""
    facts: Facts = read_proc_state(target.pid)._asdict()
    for breathing in ("tasks", "descriptors", "status"):
        facts.pop(breathing)
    facts["handlers"] = read_proc_state(target.pid).status["SigCgt"]
    return facts


def compare_looks(target: Target, before: Facts) -> list[str]:
    return compare(before, look(target))


def wait_until_left(target: Target) -> None:
    """Wait until the engine has left: its socket and its threads."""
    deadline = time.monotonic() + LEFT_PATIENCE_S
    while time.monotonic() < deadline:
        has_threads = any(name.startswith("stackglass") for name in read_tasks(target.pid).values())
        if not has_threads and not read_proc_state(target.pid).unix_sockets:
            return
        time.sleep(0.02)


def read_memory(target: Target) -> Memory:
    """Return the memory after two rounds without a profiler."""
    first = read_reported(target)["round"]
    deadline = time.monotonic() + ROUNDS_PATIENCE_S
    while (reported := read_reported(target))["round"] < first + 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    with open(f"/proc/{target.pid}/status", encoding="utf-8") as status:
        fields = dict(line.split(":", 1) for line in status)
    resident = int(fields["RssAnon"].split()[0]) * 1024
    return Memory(reported["used"], sum_anonymous_bytes(target.pid), resident)


def read_reported(target: Target) -> dict[str, int]:
    """Return the program's own figures; zeros that its C library does not have."""
    path = target.folder / "memory"
    if not path.exists():
        return {"round": 1 << 30, "used": 0}
    reported: dict[str, int] = json.loads(path.read_text())
    return reported


def find_growth(values: list[int]) -> float:
    """Return the growth per visit: from the least of the second third to the least of the last.

    The first third is left out: until then the program's own memory gets its size.
    """
    third = len(values) // 3
    if third < MIN_VISITS:
        return 0.0
    return (min(values[-third:]) - min(values[third:-third])) / third


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
