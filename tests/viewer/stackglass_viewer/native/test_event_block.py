"""Event blocks: what the engine encodes is decoded, and nothing else."""

from __future__ import annotations

import contextlib
import hashlib
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from harness.event_blocks import DTYPES, Columns, EventBlock, encode_block
from harness.malloc_events import list_malloc_events
from native import _core_testing
from stackglass_viewer.model.session.chunks import EVENTS, list_chunks, read_content
from stackglass_viewer.model.session.chunks import unpack as unpack_chunk
from stackglass_viewer.native import _loops

LAYOUT_1 = Path(__file__).resolve().parents[3] / "corpus" / "session.layout1.sgm"
LAYOUT_1_DIGEST = "b156590eaa897bd5bcea19e539feedaf8385f6bd407047cac9695e98464eb423"
"""SHA-256 of its columns, as the decoder of the version that wrote it returned them."""
WITH_SIZE = (128, 129, 130, 131, 132, 134, 135, 136, 161, 164, 165, 168)
WITH_ADDRESS = (128, 129, 130, 131, 132, 133, 134, 135, 136, 160, 161, 162, 163)
KINDS = (*range(128, 137), *range(160, 169))


def decode(block: EventBlock) -> dict[str, npt.NDArray[np.generic]]:
    columns = _loops.decode_event_block(block.payload, block.packing, block.raw_bytes)
    return {name: np.asarray(column) for name, column in columns.items()}


def make_events(n: int, seed: int, kinds: tuple[int, ...] = KINDS) -> Columns:
    """Events like a program's: few symbols, addresses that come again, and some odd ones."""
    chance = np.random.default_rng(seed)
    kind = chance.choice(np.array(kinds, np.uint8), n)
    address = 0x7F00_0000_0000 + 16 * chance.integers(0, 1 << 14, n).astype(np.uint64)
    odd = chance.random(n) < 0.01
    address[odd] = chance.integers(0, 1 << 64, int(odd.sum()), dtype=np.uint64)
    size = chance.integers(0, 700, n).astype(np.uint64)
    size[chance.random(n) < 0.01] = (1 << 64) - 1
    return {
        "kind": kind,
        "time_ns": 1_000_000 + np.cumsum(chance.choice([0, 0, 0, 7, 40_000], n)),
        "tid": np.repeat(chance.integers(0, 1 << 32, n // 50 + 1, dtype=np.uint32), 50)[:n],
        "address": np.where(np.isin(kind, WITH_ADDRESS), address, 0),
        "size": np.where(np.isin(kind, WITH_SIZE), size, 0),
        "stack": chance.choice(np.array([0, 5, 6, 7, 1 << 31], np.uint32), n),
        "type": chance.choice(np.array([0, 3, (1 << 32) - 1], np.uint32), n),
        "domain": chance.integers(0, 5, n).astype(np.uint8),
        "other": np.where(kind == 161, address ^ np.uint64(0x1230), 0),
    }


def like_pymalloc(n: int) -> Columns:
    """Blocks that are taken in order, freed, and taken again in reverse order."""
    rows = [(132, 0x5000_0000 + 64 * i, 64) for i in range(n // 4)]
    rows += [(133, address, 0) for _, address, _ in rows]
    rows += [(132, address, 50) for _, address, _ in reversed(rows[: n // 4])]
    rows += [(160, address, 0) for _, address, _ in rows[: n // 4]]
    kind, address, size = zip(*rows, strict=True)
    return {"kind": kind, "address": address, "size": size, "time_ns": np.arange(len(rows)) // 64}


def assert_equal(found: dict[str, npt.NDArray[np.generic]], wanted: Columns) -> None:
    assert list(found) == list(DTYPES)
    for name, column in found.items():
        assert column.dtype == DTYPES[name], name
        assert not column.flags.writeable
        expected = np.asarray(wanted.get(name, np.zeros(len(column))), DTYPES[name])
        np.testing.assert_array_equal(column, expected, name)


@pytest.mark.parametrize("n", [0, 1, 2, 64, 1000, 65_536])
def test_events_come_back(n: int) -> None:
    events = make_events(n, n)
    assert_equal(decode(encode_block(events)), events)


def test_foreseen_addresses_come_back_and_cost_little() -> None:
    events = like_pymalloc(65_536)
    block = encode_block(events)
    assert_equal(decode(block), events)
    assert len(block.payload) < block.n_events // 20


@pytest.mark.parametrize("n_kept", [1, 64, 500, 20_000])
def test_addresses_of_malloc_come_back(n_kept: int) -> None:
    """Also of allocations that are not among the last 16,384, and of more pages than slots."""
    events = list_malloc_events(65_536, n_kept, seed=n_kept)
    assert_equal(decode(encode_block(events)), events)


@pytest.mark.parametrize("n_kept", [10, 500])
def test_addresses_of_malloc_cost_little(n_kept: int) -> None:
    """One that keeps its last blocks frees the same number of allocations later each time, and what
    is freed is taken again first: a byte in `places`, the same one mostly, and nothing else."""
    events = list_malloc_events(65_536, n_kept, seed=1)
    address_bytes = count_address_bytes(unpack(encode_block(events)))
    assert address_bytes < 1.1 * 65_536


def count_address_bytes(raw: bytes) -> int:
    """Bytes of places, offsets and pages of a block of one lane."""
    values, value, shift = [], 0, 0
    for byte in raw:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
        if len(values) == 14:
            break
    return sum(values[9:12])


def list_layout_1() -> list[bytes]:
    """Blocks of layout 1, unpacked."""
    content = memoryview(LAYOUT_1.read_bytes())
    chunks = list_chunks(content, lambda done: None).chunks
    events = [chunk for chunk in chunks if chunk.kind == EVENTS]
    return [bytes(unpack_chunk(read_content(content, chunk), chunk)) for chunk in events]


def test_blocks_of_layout_1_come_back() -> None:
    digest = hashlib.sha256()
    for raw in list_layout_1():
        assert raw[0] == 1
        for column in _loops.decode_event_block(raw, 0, 0).values():
            digest.update(np.asarray(column).tobytes())
    assert digest.hexdigest() == LAYOUT_1_DIGEST


@pytest.mark.parametrize("layout", [0, 3, 127])
def test_a_layout_that_is_not_known_is_an_error(layout: int) -> None:
    raw = unpack(encode_block(make_events(60, 1)))
    assert raw[0] == 2
    with pytest.raises(ValueError, match="unknown layout" if layout else "damaged"):
        _loops.decode_event_block(bytes((layout,)) + raw[1:], 0, 0)


def test_times_of_each_event_are_in_16_ns_rounded_up() -> None:
    events = make_events(500, 3)
    found = decode(encode_block(events, timed=[True]))
    expected = {**events, "time_ns": -(-np.asarray(events["time_ns"]) // 16) * 16}
    assert_equal(found, expected)


@pytest.mark.parametrize("n_lanes", [2, 3, 8])
def test_lanes_are_merged_by_time_and_then_by_lane(n_lanes: int) -> None:
    lanes = [make_events(200 + 30 * i, i) for i in range(n_lanes)]
    found = decode(encode_block(*lanes, base_ns=0))
    together = {
        name: np.concatenate([np.asarray(lane[name], dtype) for lane in lanes])
        for name, dtype in DTYPES.items()
    }
    order = np.argsort(together["time_ns"], kind="stable")
    assert_equal(found, {name: column[order] for name, column in together.items()})


def test_a_block_that_does_not_shrink_is_plain() -> None:
    events = {"kind": [132], "address": [1 << 63], "size": [1], "time_ns": [5]}
    block = encode_block(events)
    assert block.packing == 0
    assert_equal(decode(block), events)


def test_each_cut_is_an_error() -> None:
    block = encode_block(make_events(60, 1))
    raw = unpack(block)
    for size in range(len(raw)):
        with pytest.raises(ValueError, match="event block"):
            _loops.decode_event_block(raw[:size], 0, 0)


def unpack(block: EventBlock) -> bytes:
    return _loops.unpack_lz4(block.payload, block.raw_bytes) if block.packing else block.payload


def test_hostile_blocks_are_errors_or_events() -> None:
    """Nothing but a ValueError, whatever the bytes; most changes hit the columns of a lane."""
    chance = random.Random(7)
    n_refused = 0
    blocks = [
        unpack(encode_block(make_events(chance.randrange(1, 200), seed), make_events(20, seed)))
        for seed in range(40)
    ]
    blocks.append(unpack(encode_block(list_malloc_events(400, 20, seed=1))))
    for raw in [*blocks, *list_layout_1()]:
        for _ in range(60):
            broken = bytearray(raw)
            for _ in range(chance.randrange(1, 4)):
                broken[chance.randrange(len(broken))] = chance.choice([0, 1, 127, 128, 255])
            try:
                found = _loops.decode_event_block(bytes(broken), 0, 0)
            except ValueError:
                n_refused += 1
                continue
            assert len({len(np.asarray(column)) for column in found.values()}) == 1
            assert np.isin(np.asarray(found["kind"]), KINDS).all()
            assert (np.diff(np.asarray(found["time_ns"])) >= 0).all()
    assert n_refused > 1000


def test_hostile_packing_is_an_error() -> None:
    chance = random.Random(8)
    block = encode_block(like_pymalloc(4000))
    assert block.packing == 1
    for _ in range(2000):
        broken = bytearray(block.payload)
        for _ in range(chance.randrange(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        with contextlib.suppress(ValueError):
            _loops.decode_event_block(bytes(broken), 1, block.raw_bytes)
    for size in (0, 1, block.raw_bytes - 1, block.raw_bytes + 1, 1 << 40, -1):
        with pytest.raises(ValueError, match="event block"):
            _loops.decode_event_block(block.payload, 1, size)
    with pytest.raises(ValueError, match="more than 16 MiB"):
        _loops.decode_event_block(block.payload, 1, (16 << 20) + 1)
    with pytest.raises(ValueError, match="unknown way"):
        _loops.decode_event_block(block.payload, 2, block.raw_bytes)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a",
        b"abc" * 4,
        bytes(100_000),
        bytes(range(256)) * 700,
        random.Random(1).randbytes(70_000),
        random.Random(2).randbytes(70_000) * 3,
        b"".join(random.Random(3).choices([b"import ", b"stackglass", b"\n", b"xyzzy"], k=9000)),
    ],
    ids=["empty", "one", "short", "zeros", "cycle", "noise", "noise again", "words"],
)
def test_lz4_comes_back(content: bytes) -> None:
    packed = _core_testing.pack_lz4(content, len(content) + len(content) // 200 + 16)
    assert packed
    assert _loops.unpack_lz4(packed, len(content)) == content


def test_lz4_that_finds_no_room_packs_nothing() -> None:
    noise = random.Random(4).randbytes(5000)
    assert _core_testing.pack_lz4(noise, len(noise)) == b""


def test_lz4_refuses_what_is_too_large() -> None:
    with pytest.raises(ValueError, match="16 MiB"):
        _loops.unpack_lz4(b"", (16 << 20) + 1)
