"""Heap maps: exact ones against one drawn object by object, those of the log against exact ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from harness.naive_replay import NaiveReplay
from harness.traced_memory import ListedSource, Names, make_events, make_random_rows, read_trace
from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.memory_trace.heap_map import AddressAxis, HeapMap, MapKey, MapWindow
from stackglass_viewer.model.memory_trace.map_drawing import size_class
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace import MemoryTrace

SHAPE = (13, 17)


@pytest.fixture(params=[0, 250])
def rows(request: pytest.FixtureRequest) -> list[dict[str, int]]:
    return make_random_rows(11, 800, n_start=request.param)


@pytest.fixture
def trace(rows: list[dict[str, int]], tmp_path: Path) -> MemoryTrace:
    names = Names()
    for text in ("a", "b", "c"):
        names.add_string(text)
    for text in ("m", "m;f", "m;f;g", "w", "w;x"):
        names.add_stack(text)
    listed = [make_events(rows[at : at + 100]) for at in range(0, len(rows), 100)]
    return MemoryTrace(
        ListedSource(listed, TraceNames(names.list_definitions(), {})), "rows", folder=tmp_path
    )


def spread(axis: AddressAxis, address: int, size: int) -> dict[int, int]:
    """Bytes of a block by position: whole bytes, one at a time; slow, and plainly right."""
    found: dict[int, int] = {}
    for start, length, position in zip(
        axis.start.tolist(), axis.size.tolist(), axis.position.tolist(), strict=False
    ):
        begin, end = max(start, address), min(start + length, address + size)
        if begin < end:
            found[position + begin - start] = end - begin
    return found


def draw_naively(
    heap_map: HeapMap, rows: list[dict[str, int]], key: MapKey
) -> tuple[list[list[float]], list[list[Counter[int]]]]:
    """Bytes, and bytes by key, of each cell."""
    n_rows, n_columns = heap_map.shape
    edges = heap_map.row_position.tolist()
    size = [[0.0] * n_columns for _ in range(n_rows)]
    keys = [[Counter[int]() for _ in range(n_columns)] for _ in range(n_rows)]
    for column, moment_ns in enumerate(heap_map.moment_ns.tolist()):
        naive = NaiveReplay()
        naive.apply(row for row in rows if row["time_ns"] <= moment_ns)
        for (space, address), block in naive.live.items():
            if space:
                continue
            of = {MapKey.TYPE: block.type, MapKey.SITE: block.stack}.get(key)
            for position, length in spread(heap_map.axis, address, block.size).items():
                for row in range(n_rows):
                    part = min(edges[row + 1], position + length) - max(edges[row], position)
                    if part > 0:
                        size[row][column] += part
                        kind = size_class(block.size) if of is None else of
                        keys[row][column][kind] += part
    return size, keys


@pytest.mark.parametrize("key", [MapKey.TYPE, MapKey.SITE, MapKey.SIZE_CLASS])
@pytest.mark.parametrize("part", ["whole", "middle"])
def test_an_exact_map_is_as_object_by_object(
    trace: MemoryTrace, rows: list[dict[str, int]], key: MapKey, part: str
) -> None:
    window = trace.whole
    if part == "middle":
        span, high = window.end_ns, window.high
        window = MapWindow(span // 3, 2 * span // 3, high // 5, high // 2)
    # Types that were proven later are in the map, and not in the naive replay.
    shown = [row if row["kind"] != 162 else row | {"kind": 0} for row in rows]
    source = ListedSource([make_events(shown)], trace.names)
    plain = MemoryTrace(source, "rows")
    heap_map = plain.draw_map(window, SHAPE, key, is_exact=True)
    size, keys = draw_naively(heap_map, shown, key)
    assert heap_map.is_exact
    assert np.array(size).sum() > 0
    np.testing.assert_allclose(heap_map.live_bytes, size, atol=len(SHAPE) * 8)
    for row in range(SHAPE[0]):
        for column in range(SHAPE[1]):
            counts = keys[row][column]
            if heap_map.live_bytes[row, column] > 64:
                chosen = counts[int(heap_map.key[row, column])]
                assert chosen >= max(counts.values()) - 16
    naive = sum((counts for each in keys for counts in each), Counter[int]())
    found = dict(
        zip(heap_map.key_bytes.key.tolist(), heap_map.key_bytes.bytes.tolist(), strict=True)
    )
    assert found.keys() == naive.keys()
    rounded = 8 * SHAPE[1]  # a byte for each block that lies in several rows
    assert all(abs(found[each] - naive[each]) <= rounded for each in naive)


def test_a_map_from_the_log_has_the_same_bytes_at_its_steps(trace: MemoryTrace) -> None:
    """In granules, and at the log's moments."""
    log = trace.index.granules
    whole = trace.whole
    window = MapWindow(0, int(log.step_ns[-1]) + 1, 0, whole.high)
    exact = trace.draw_map(window, (1, 1), MapKey.TYPE, is_exact=True)
    logged = trace.draw_map(window, (1, 1), MapKey.TYPE, is_exact=False)
    live = trace.list_live(trace.index.end)
    assert int(exact.live_bytes[0, 0]) == int(live.size.sum())
    wide = int(live.size[live.size > 1 << 14].sum())
    assert abs(int(logged.live_bytes[0, 0]) - int(exact.live_bytes[0, 0])) <= 1
    assert wide > 0  # both kinds of objects were drawn
    assert not logged.is_exact
    assert logged.row_bytes >= 1 << 14


@pytest.mark.parametrize("is_exact", [True, False])
@pytest.mark.parametrize("key", list(MapKey))
def test_the_bytes_of_keys_are_those_of_all_cells(
    trace: MemoryTrace, key: MapKey, is_exact: bool
) -> None:
    heap_map = trace.draw_map(trace.whole, SHAPE, key, is_exact=is_exact)
    cells = int(heap_map.live_bytes.sum())
    assert cells > 0
    assert heap_map.key_bytes.bytes.sum() == pytest.approx(cells, rel=1e-3)
    assert set(np.unique(heap_map.key[heap_map.live_bytes > 0])) <= set(heap_map.key_bytes.key)


def test_a_map_from_the_log_says_how_fine_it_is(trace: MemoryTrace) -> None:
    logged = trace.draw_map(trace.whole, SHAPE, MapKey.SITE, is_exact=False)
    exact = trace.draw_map(trace.whole, SHAPE, MapKey.SITE, is_exact=True)
    assert logged.column_ns >= exact.column_ns
    assert logged.row_bytes >= exact.row_bytes


def test_ages_grow_from_left_to_right(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace("0 alloc 0x10000 4096\n1000000000 alloc 0x14000 16"), "x", folder=tmp_path
    )
    for is_exact in (True, False):
        heap_map = trace.draw_map(
            MapWindow(0, 10**9, 0, 4096), (1, 5), MapKey.AGE, is_exact=is_exact
        )
        ages = heap_map.key[0].tolist()
        if is_exact:
            assert ages == sorted(ages)
            assert ages[-1] == (10**9 // 1000).bit_length()  # 2^19 to 2^20 µs


def test_a_map_without_objects_is_empty(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace("5 span 0x100000 4096"), "x", folder=tmp_path)
    heap_map = trace.draw_map(trace.whole, SHAPE, MapKey.TYPE)
    assert not heap_map.live_bytes.any()


def test_positions_and_addresses_are_each_others_inverse(trace: MemoryTrace) -> None:
    axis = trace.draw_map(trace.whole, SHAPE, MapKey.TYPE).axis
    for start, size in zip(axis.start.tolist(), axis.size.tolist(), strict=True):
        for address in (start, start + size // 2, start + size - 1):
            assert axis.to_address(axis.to_position(address)) == address
    assert axis.to_position(0) == 0
    assert axis.to_position(1 << 60) == axis.total_bytes


def test_gaps_between_used_addresses_are_not_on_the_axis(tmp_path: Path) -> None:
    text = "0 alloc 0x10000 16\n1 alloc 0x14000 16\n2 alloc 0x7f0000000000 100000"
    axis = (
        MemoryTrace(read_trace(text), "x", folder=tmp_path)
        .draw_map(MapWindow(0, 3, 0, 1 << 40), SHAPE, MapKey.TYPE)
        .axis
    )
    assert axis.start.tolist() == [0x10000, 0x7F0000000000]
    assert axis.size.tolist() == [2 << 14, 100000]


def test_drawing_can_be_cancelled(trace: MemoryTrace) -> None:
    with pytest.raises(CancelledError):
        trace.draw_map(
            trace.whole, SHAPE, MapKey.TYPE, is_exact=True, progress=lambda _share: False
        )
    trace.draw_map(trace.whole, SHAPE, MapKey.TYPE)  # and goes on afterwards


def test_a_click_on_a_cell_finds_its_objects_with_birth_and_death(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(
            """
            10 alloc 0x10000 8192 at=main;load type=builtins.bytes
            20 alloc 0x12000 4096 at=main
            70 free 0x10000
            90 gc-free 0x12000
            """
        ),
        "x",
        folder=tmp_path,
    )
    heap_map = trace.draw_map(MapWindow(0, 100, 0, 1 << 14), (4, 10), MapKey.TYPE)
    first = trace.list_cell(heap_map, 0, 4)[0]
    assert (first.address, first.size, first.type_name) == (0x10000, 8192, "builtins.bytes")
    assert (first.birth_ns, first.death_ns, first.lifetime_ns) == (10, 70, 60)
    assert first.death_kind == 133
    second = trace.list_cell(heap_map, 2, 4)[0]
    assert (second.address, second.death_ns, second.death_kind) == (0x12000, 90, 160)
    assert trace.list_cell(heap_map, 0, 9) == []
    assert trace.list_cell(heap_map, 3, 4) == []


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, 0), (1, 16), (16, 16), (17, 32), (512, 512), (513, 576), (600, 640), (1025, 1152)],
)
def test_size_classes(size: int, expected: int) -> None:
    assert size_class(size) == expected
