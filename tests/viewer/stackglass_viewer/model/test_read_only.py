"""What a live profile returns, or is made of a file, is immutable: threads share its arrays."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from harness.every_message import make_messages
from harness.pythons import CHECKOUT
from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.chart.lanes import measure_lanes
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.columns.source_lines import LineTables
from stackglass_viewer.model.contention.pairs import Pairs
from stackglass_viewer.model.contention.table import ContentionRows, DelayHistogram
from stackglass_viewer.model.graph.call_edges import sum_tree_edges
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.graph_trim import GraphLimits, trim_graph
from stackglass_viewer.model.graph.label_colours import LabelledRows, find_box_labels
from stackglass_viewer.model.graph.sandwich import build_sandwich
from stackglass_viewer.model.graph.split_tree import split_tree
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.graph.trace_list import list_traces
from stackglass_viewer.model.heap.sites import HeapRows
from stackglass_viewer.model.live.line_names import LineNames, names_of_capture
from stackglass_viewer.model.live.placed_stretches import join_moments, make_moments
from stackglass_viewer.model.live.timed_stacks import TimeQuery, list_live_stretches
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.live_profile import CPU, SAMPLES, WALL, LiveProfile
from stackglass_viewer.model.memory_trace.events import EventColumns
from stackglass_viewer.model.memory_trace.fill import Pools, Spans
from stackglass_viewer.model.memory_trace.heap_map import AddressAxis
from stackglass_viewer.model.memory_trace.live_blocks import LiveBlocks
from stackglass_viewer.model.memory_trace.site_rows import SiteRows
from stackglass_viewer.model.memory_trace.source import EventBlocks
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.model.profile.label_table import index_profile
from stackglass_viewer.model.profile.native_libraries import merge_libraries
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import (
    Transform,
    TransformKind,
    transform_profile,
)
from stackglass_viewer.model.proto.wire_pb2 import FromEngine
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.model.writers.flame_picture import FlamePicture

CORPUS = CHECKOUT / "tests/corpus"


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


class OfFile:
    """Values that are made of a profile: of each kind of value that views share, at least one."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.tree = build_call_tree(profile)
        self.values = sum_type(self.tree, profile, TypeId(0))
        self.top = build_top(self.tree, self.values)
        self.index = index_profile(profile)
        bearers = np.arange(profile.n_samples, dtype=np.int32)
        weights = profile.samples.values[0]
        self.rows = LabelledRows(self.tree.sample_node, bearers, weights)

    def trim(self) -> object:
        return trim_graph(
            self.top,
            GraphLimits(),
            lambda is_kept: sum_tree_edges(self.tree, self.values, is_kept),
        )

    def split(self) -> object:
        roots = np.zeros(self.profile.n_samples, dtype=np.int32)
        made = split_tree(self.tree, self.rows, roots, ["all"], "count")
        return made.tree, made.values, made.rows.node


@pytest.fixture(scope="module")
def of_file() -> OfFile:
    profile = open_profile(CORPUS / "go.http.heap.gc.pb.gz")
    assert isinstance(profile, Profile)
    return OfFile(profile)


@pytest.mark.parametrize(
    "make",
    [
        lambda made: (made.profile, made.tree, made.values, made.top, made.index),
        lambda made: name_frames(made.profile),
        lambda made: lay_out(made.tree, made.values),
        lambda made: build_sandwich(made.tree, made.values, 1),
        lambda made: find_box_labels(made.tree, made.rows, made.index, "bytes"),
        lambda made: list_traces(made.profile, TypeId(0)),
        lambda made: transform_profile(made.profile, (Transform(TransformKind.FOCUS, "main"),)),
        lambda made: merge_libraries(made.profile),
        OfFile.trim,
        OfFile.split,
    ],
)
def test_arrays_made_of_a_file_are_read_only(
    of_file: OfFile, make: Callable[[OfFile], object]
) -> None:
    assert list(find_writable(make(of_file))) == []


def test_arrays_of_lanes_are_read_only(live: LiveProfile) -> None:
    stretches = list_live_stretches(live.capture_times(), TimeQuery(CPU))
    assert stretches.n_lanes
    lanes = measure_lanes(stretches, [0], 1, (0.0, 1e9), 4)
    rows = make_moments(*(np.ones(1, dtype=np.int32) for _ in range(5)), np.ones(1, np.int64))
    values = (stretches, lanes, rows, join_moments([rows, rows]))
    assert list(find_writable(values)) == []
