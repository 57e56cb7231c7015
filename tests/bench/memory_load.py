"""Synthetic memory trace: a million live objects, some of which are replaced all the time.

One stretch of events is made and repeated. At its end the same addresses are live as at its
beginning, so that it can be repeated.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.event_blocks import encode_block
from harness.session_writer import SessionWriter, make_batch, make_ready
from harness.traced_memory import Names
from stackglass_viewer.model.memory_trace.events import DTYPES, EventKind

BLOCK_EVENTS = 1 << 16
STRETCH_EVENTS = 1 << 21
N_LIVE = 1_000_000
N_STACKS, N_TYPES = 20_000, 300
_CLASSES = (32, 48, 64, 64, 64, 96, 128, 256, 512)
_POOL_BYTES, _ARENA_BYTES = 1 << 14, 1 << 20
_BASE, _OLD_BASE = 0x7F00_0000_0000, 0x5500_0000_0000
_RECENT = 48  # short-lived objects at a time
_REPLACED = 0.15  # share of births that replace an old object
_NS_PER_EVENT = 400

Columns = dict[str, npt.NDArray[Any]]


def _lay_out(rng: random.Random, n: int) -> tuple[list[int], list[int]]:
    """Return addresses and sizes of objects, in pools of one size class each."""
    addresses: list[int] = []
    sizes: list[int] = []
    pool = _BASE
    while len(addresses) < n:
        size = rng.choice(_CLASSES)
        for at in range(48, _POOL_BYTES - size, size):
            addresses.append(pool + at)
            sizes.append(size)
        pool += _POOL_BYTES
    return addresses[:n], sizes[:n]


def make_stretch(seed: int = 1) -> tuple[Columns, Columns]:
    """Make the objects at the beginning, and the events that are repeated."""
    rng = random.Random(seed)
    addresses, sizes = _lay_out(rng, N_LIVE + 20_000)
    spare = list(range(N_LIVE, N_LIVE + 20_000))
    recent: list[int] = []
    kinds: list[int] = []
    places: list[int] = []
    while len(kinds) < STRETCH_EVENTS - 2 * _RECENT:
        if rng.random() < _REPLACED:
            at = rng.randrange(N_LIVE)
            kinds += (EventKind.OBJECT_FREE, EventKind.OBJECT_ALLOC)
            places += (at, at)
            continue
        at = spare.pop()
        recent.append(at)
        kinds.append(EventKind.OBJECT_ALLOC)
        places.append(at)
        if len(recent) > _RECENT:
            at = recent.pop(rng.randrange(len(recent)))
            spare.append(at)
            kinds.append(EventKind.OBJECT_FREE)
            places.append(at)
    for at in recent:
        kinds.append(EventKind.OBJECT_FREE)
        places.append(at)
    place = np.array(places)
    kind = np.array(kinds, dtype=np.uint8)
    all_addresses, all_sizes = np.array(addresses, np.uint64), np.array(sizes, np.uint64)
    return _make_first(all_addresses, all_sizes), _make_churn(kind, place, all_addresses, all_sizes)


def _make_first(addresses: npt.NDArray[np.uint64], sizes: npt.NDArray[np.uint64]) -> Columns:
    generator = np.random.default_rng(2)
    columns = _make_zeros(N_LIVE)
    columns["kind"][:] = EventKind.OBJECT_ALLOC
    columns["address"][:] = addresses[:N_LIVE]
    columns["size"][:] = sizes[:N_LIVE]
    columns["stack"][:] = generator.integers(1, N_STACKS, N_LIVE)
    columns["tid"][:] = 7
    return columns


def _make_churn(
    kind: npt.NDArray[np.uint8],
    place: npt.NDArray[np.intp],
    addresses: npt.NDArray[np.uint64],
    sizes: npt.NDArray[np.uint64],
) -> Columns:
    generator = np.random.default_rng(3)
    n = len(kind)
    is_birth = kind == EventKind.OBJECT_ALLOC
    columns = _make_zeros(n)
    columns["kind"][:] = kind
    columns["address"][:] = addresses[place]
    columns["size"][:] = np.where(is_birth, sizes[place], 0)
    popular = (generator.pareto(1.0, n) * 30).astype(np.int64) % (N_STACKS - 1) + 1
    columns["stack"][:] = np.where(is_birth, popular, 0)
    columns["tid"][:] = 7 + (np.arange(n) // 5000) % 4
    return columns


def _make_zeros(n: int) -> Columns:
    return {name: np.zeros(n, dtype=dtype) for name, dtype in DTYPES.items()}


def _cut(columns: Columns, begin_event: int) -> Iterator[Columns]:
    """Yield blocks with times, which change every 64 events."""
    n = len(columns["kind"])
    times = (begin_event + np.arange(n)) // 64 * 64 * _NS_PER_EVENT
    for at in range(0, n, BLOCK_EVENTS):
        block = {name: column[at : at + BLOCK_EVENTS] for name, column in columns.items()}
        block["time_ns"] = times[at : at + BLOCK_EVENTS].astype(np.int64)
        yield block


def _make_start(n: int) -> Columns:
    """Make objects from before the trace, of one size and type in each pool, at one time."""
    generator = np.random.default_rng(5)
    columns = _make_zeros(n)
    class_of_pool = generator.integers(0, len(_CLASSES), n // (_POOL_BYTES // max(_CLASSES)) + 1)
    size_of_pool = np.array(_CLASSES)[class_of_pool]
    n_of_pool = (_POOL_BYTES - 48) // size_of_pool
    pool = np.repeat(np.arange(len(n_of_pool)), n_of_pool)[:n]
    first = np.cumsum(n_of_pool) - n_of_pool
    place = np.arange(n) - first[pool]
    columns["kind"][:] = EventKind.OBJECT
    columns["address"][:] = _OLD_BASE + pool * _POOL_BYTES + 48 + place * size_of_pool[pool]
    columns["size"][:] = size_of_pool[pool]
    columns["type"][:] = 1 + pool % (N_TYPES - 1)
    columns["domain"][:] = 1
    return columns


def _make_ends(start: Columns) -> Columns:
    """Make frees of a random sixteenth of them."""
    n = len(start["kind"]) // 16
    columns = _make_zeros(n)
    columns["kind"][:] = EventKind.OBJECT_FREE
    columns["address"][:] = np.random.default_rng(6).choice(start["address"], n, replace=False)
    columns["tid"][:] = 7
    return columns


def write_trace(path: Path, n_events: int, n_start: int = 0) -> int:
    """Write a session file of some ``n_events`` events and ``n_start`` objects from before. Returns
    the number of events."""
    names = Names()
    for number in range(N_STACKS):
        names.add_stack(f"main;request{number % 50};work{number % 997};f{number}")
    first, churn = make_stretch()
    written = 0
    with path.open("wb") as file:
        writer = SessionWriter(file)
        writer.add_messages([make_ready(), make_batch(names.list_definitions(), {7: "Main"})])
        if n_start:
            start = _make_start(n_start)
            for at in range(0, n_start, BLOCK_EVENTS):
                block = {name: each[at : at + BLOCK_EVENTS] for name, each in start.items()}
                writer.add_events(encode_block(block), 0)
            for block in _cut(_make_ends(start), 64):
                writer.add_events(encode_block(block), 0)
                written += len(block["kind"])
            del start
            written += 64
        stretch = first
        while written < n_events:
            for block in _cut(stretch, written):
                writer.add_events(encode_block(block), written // (64 * BLOCK_EVENTS))
            written += len(stretch["kind"])
            stretch = churn
        writer.finish()
    return written
