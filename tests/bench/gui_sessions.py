"""Data for a watched window: a large file, and sessions that are encoded in advance."""

from __future__ import annotations

import random
from pathlib import Path

from harness.synthetic_engine import SyntheticEngine, Wait, make_stacks
from stackglass_viewer.model.proto.profile_pb2 import Profile

BATCHES_PER_SECOND = 10
_UNITS_PER_BATCH = 10  # of 10 ms


def make_file(folder: Path, n_bytes: int) -> Path:
    """Write a profile of about that size, unpacked."""
    chance = random.Random(1)
    message = Profile(string_table=["", "cpu", "nanoseconds", "samples", "count"])
    message.sample_type.add(type=3, unit=4)
    message.sample_type.add(type=1, unit=2)
    n_functions = 60_000
    for number in range(1, n_functions + 1):
        message.string_table.append(f"package{number % 50}.module.Class{number % 997}.f{number}")
        message.function.add(id=number, name=4 + number)
        message.location.add(id=number).line.add(function_id=number, line=1)
    head = message.SerializeToString()
    n_block_samples = 20_000
    path = folder / "large.pb"
    stack = [chance.randrange(1, 200) for _ in range(27)]
    size = len(head)
    with path.open("wb") as file:
        file.write(head)
        while size < n_bytes:
            body = Profile()
            for _ in range(n_block_samples):
                # Callers are few, callees many: the tree is some ten nodes for each sample.
                keep = min(26, max(4, round(chance.gauss(21, 5))))
                fresh = (chance.randrange(1, n_functions) for _ in range(27 - keep))
                stack = [*fresh, *stack[27 - keep :]]
                body.sample.add(location_id=stack, value=[1, chance.randrange(1, 10_000_000)])
            size += file.write(body.SerializeToString())
    return path


def pack_session(engine: SyntheticEngine, stacks_per_second: int, seconds: float) -> list[bytes]:
    """Encode the batches of a session in advance, so that only the viewer's work is measured."""
    stacks = make_stacks(20_000, 30)
    chance = random.Random(2)
    n_batch = min(stacks_per_second // BATCHES_PER_SECOND, len(stacks) - 1)
    for number in range(round(seconds * BATCHES_PER_SECOND)):
        first = chance.randrange(len(stacks) - n_batch)
        engine.send_samples(stacks[first : first + n_batch], unit=number * _UNITS_PER_BATCH)
        engine.send_status(time_ns=engine.started_ns + number * _UNITS_PER_BATCH * 10_000_000)
    return engine.pack_what_is_queued()


def pack_heap(engine: SyntheticEngine, seconds: float) -> list[bytes]:
    """Encode the heap of a program with 20 000 stacks, all reported again and again."""
    stacks = [stack for _, stack in make_stacks(20_000, 30)]
    chance = random.Random(3)
    engine.heap_rate = 1
    for _ in range(round(seconds * BATCHES_PER_SECOND)):
        reported = chance.sample(stacks, 2000)
        engine.send_heap(*((stack, 50, chance.randrange(16, 9000), 20) for stack in reported))
    return engine.pack_what_is_queued()


def pack_contention(engine: SyntheticEngine, seconds: float) -> list[bytes]:
    """Encode waits of some thousand stacks for some hundred locks, with their holders."""
    stacks = [stack for _, stack in make_stacks(4000, 30)]
    chance = random.Random(4)
    for _ in range(round(seconds * BATCHES_PER_SECOND)):
        waits: list[Wait] = []
        for stack in chance.sample(stacks, 400):
            lock, holder = f"app.LOCK_{chance.randrange(300)}", chance.choice(stacks[:200])
            total_ns, tid = chance.randrange(1, 10**8), 100 + chance.randrange(40)
            waits.append((0, lock, stack, (), tid, 1, total_ns))
            waits.append((1, lock, holder, (), tid, 1, total_ns))
            waits.append((2, lock, holder, stack, tid, 1, total_ns))
        engine.send_contention(*waits)
    held = [(100 + n, f"app.LOCK_{n}", stacks[n], 101 + n if n < 60 else 100) for n in range(60)]
    engine.make_waits(*held)
    return engine.pack_what_is_queued()
