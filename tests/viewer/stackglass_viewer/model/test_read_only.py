"""What a live profile returns is immutable: threads share its arrays."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from harness.every_message import make_messages
from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.columns.source_lines import LineTables
from stackglass_viewer.model.contention.pairs import Pairs
from stackglass_viewer.model.contention.table import ContentionRows, DelayHistogram
from stackglass_viewer.model.heap.sites import HeapRows
from stackglass_viewer.model.live.line_names import LineNames, names_of_capture
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.live_profile import CPU, SAMPLES, WALL, LiveProfile
from stackglass_viewer.model.memory_trace.events import EventColumns
from stackglass_viewer.model.memory_trace.fill import Pools, Spans
from stackglass_viewer.model.memory_trace.heap_map import AddressAxis
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks
from stackglass_viewer.model.memory_trace.site_rows import SiteRows
from stackglass_viewer.model.memory_trace.source import EventBlocks
from stackglass_viewer.model.proto.wire_pb2 import FromEngine
from stackglass_viewer.model.writers.flame_picture import FlamePicture


@pytest.fixture(scope="module")
def live() -> LiveProfile:
    made = LiveProfile(0)
    for content in make_messages():
        made.apply(FromEngine.FromString(content))
    return made


@pytest.mark.parametrize(
    "table",
    [
        *(ContentionRows, DelayHistogram, HeapRows, EventColumns, Pools, Spans, AddressAxis),
        *(LiveBlocks, SiteRows, EventBlocks, FlamePicture, Pairs),
    ],
)
def test_arrays_of_a_table_become_read_only(table: type[Any]) -> None:
    assert "Immutable" in (table.__doc__ or "")
    given = {}
    for field in dataclasses.fields(table):
        is_array = re.fullmatch(r"U?Int\d+s|Bools", str(field.type))
        given[field.name] = np.ones(1, dtype=np.int64) if is_array else None
    arrays = [each for each in given.values() if each is not None]
    table(**given)
    assert arrays
    assert not any(each.flags.writeable for each in arrays)


def find_writable(value: Any, path: str = "") -> Iterator[str]:
    """Yield the places of arrays that can be changed."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable and value.size:
            yield path
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from find_writable(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from find_writable(each, f"{path}[{key}]")
    elif isinstance(value, list | tuple) or type(value).__name__ == "Tables":
        for at, each in enumerate(value):
            yield from find_writable(each, f"{path}[{at}]")


def name_native_lines(live: LiveProfile) -> LineNames:
    line = NativeLine("libz: deflate", "deflate", "deflate.c", 9, 1)
    definitions = live.list_definitions()
    return names_of_capture(dataclasses.replace(definitions, native_lines={0: [line]}))


def list_lines(_: LiveProfile) -> LineTables:
    tree = LiveTree()
    for content in make_messages():
        tree.define(FromEngine.FromString(content).batch)
    return tree.view_lines()


@pytest.mark.parametrize(
    "view",
    [
        *(
            lambda live, kind=kind, tids=tids: live.snapshot(
                sample_type=kind, has_rows=True, tids=tids
            )
            for kind in (CPU, SAMPLES, WALL)
            for tids in (None, frozenset([4711]))
        ),
        lambda live: live.capture_contention(has_delays=True),
        lambda live: live.capture_custom("app.open"),
        lambda live: live.capture_times(),
        lambda live: live.capture_memory(),
        lambda live: live.capture_metrics(),
        lambda live: live.heap.capture(),
        lambda live: live.list_waits(),
        lambda live: live.list_types(),
        lambda live: live.list_definitions(),
        lambda live: live.export(),
        lambda live: live.capture_times().moment,
        list_lines,
        name_native_lines,
    ],
)
def test_arrays_are_read_only(live: LiveProfile, view: Callable[[LiveProfile], object]) -> None:
    value = view(live)
    assert value is not None
    assert list(find_writable(value, type(value).__name__)) == []
