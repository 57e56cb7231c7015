"""Memory and waits of a process by label: filter, table, split graph, colours."""

from __future__ import annotations

import pytest

from harness.contention_talk import GIVER, MAIN, OTHER_TAKER, TAKER, WORKER, ContentionTalk
from harness.heap_talk import HeapTalk, S
from harness.label_definitions import define_labels
from harness.live_source import sample
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.thread_states import THREAD_STATES, WAITING_FOR_LOCK
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live_profile import CPU, WALL, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    find_contention_type,
    find_heap_type,
)
from stackglass_viewer.presenter.tables.top_model import Arrangement

IN_USE = TypeId(find_heap_type(LIVE_TYPES, HeapChoice()))
ALLOCATED = TypeId(find_heap_type(LIVE_TYPES, HeapChoice(is_in_use=False)))
BLOCK = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice()))
MUTEX = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice(ContentionKind.MUTEX)))
GIL = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice(ContentionKind.GIL)))
GONE = 2**22 + 1  # more than Linux numbers processes with
A, B = ("route", "/a"), ("route", "/b")
ONLY_A = frozenset([A])
GROWTH, SPAN = HeapWindow("growth", 500, 900), HeapWindow("span", 500, 900)


def build(live: LiveProfile, type_index: TypeId, **asked: object) -> Built:
    palette = choose_palette("module", False)
    request = BuildRequest(type_index, "cost", palette, Arrangement(), **asked)  # type: ignore[arg-type] # by name
    return LiveSource(live, GONE).build(request)


def total_of(built: Built) -> int:
    assert built.scene is not None
    return built.scene.total


def list_values(built: Built) -> dict[str, int]:
    """The table of labels."""
    assert built.labels is not None
    table = built.labels.table
    return {} if table is None else dict(zip(table.value, table.flat.tolist(), strict=True))


def list_outermost(built: Built) -> dict[str, int]:
    """The boxes below the root."""
    assert built.scene is not None
    tree, total = built.scene.tree, built.scene.values.total
    roots = [node for node in range(1, tree.n_nodes) if tree.parent[node] == 0 and total[node]]
    return {tree.frame_name[tree.frame[node]]: int(total[node]) for node in roots}


@pytest.fixture
def heap() -> LiveProfile:
    """In use after 9 s: 500 bytes of /a, 0 of /b (50 were freed), 30 without a label."""
    talk = HeapTalk()
    define_labels(talk.live, A, B, ("task", "none of the heap"))
    talk.define((1, 1), (3, 1), (1, 1), labels=(1, 2, 0))
    talk.events((0, 7, 1.0, 4, 400), (1, 7, 1.0, 1, 50), (2, 7, 1.0, 3, 30))
    talk.sums(2, (0, 4, 400, 0, 0), (1, 1, 50, 0, 0), (2, 3, 30, 0, 0))
    talk.events((0, 7, 8.0, 1, 100), (1, 7, 8.0, 2, 60))
    talk.sums(9, (0, 5, 500, 0, 0), (1, 3, 110, 3, 110), (2, 3, 30, 0, 0))
    return talk.live


def test_memory_in_use_and_allocated_by_label(heap: LiveProfile) -> None:
    built = build(heap, IN_USE, label_key="")
    assert built.info.has_labels
    assert built.labels is not None
    assert (built.labels.keys, built.labels.whole) == (("route",), 530), "tasks have no memory"
    assert list_values(built) == {"/a": 500}, "what was freed is not in use"
    assert built.labels.table is not None
    assert built.labels.table.samples.tolist() == [5]
    assert list_values(build(heap, ALLOCATED, label_key="route")) == {"/a": 500, "/b": 110}
    late = build(heap, ALLOCATED, label_key="route", span_ns=5 * S)
    assert list_values(late) == {"/a": 100, "/b": 60}


def test_a_state_colours_only_samples_that_have_states(heap: LiveProfile) -> None:
    """Coloured by state, CPU time and memory were grey, with the legend "others 100%"."""
    sample(heap, (1, 7, 1.0, 300, 3 * S))
    wait = Batch(
        wall_node=[3],
        wall_tid=[8],
        wall_labels=[0],
        wall_time=[100],
        wall_count=[1],
        wall_ns=[S],
        wall_state=[THREAD_STATES.index(WAITING_FOR_LOCK)],
        wall_call=[0],
    )
    heap.apply(FromEngine(batch=wait))
    for each in (CPU, IN_USE):
        built = build(heap, each, colour_key="state")
        assert built.scene is not None
        assert (built.legend, built.scene.box_colours) == (None, None)
    legend = build(heap, WALL, colour_key="state").legend
    assert legend is not None
    assert (legend.key, legend.others) == ("state", 0)
    assert build(heap, IN_USE, colour_key="route").legend is not None


def test_memory_of_one_label(heap: LiveProfile) -> None:
    built = build(heap, ALLOCATED, labels=ONLY_A, label_key="route", heap_grouping="sites")
    assert (total_of(built), built.info.description) == (500, "500 B allocated in 7.00 s")
    assert built.heap is not None
    assert (built.heap.name, built.heap.total_bytes) == (("m.f",), 500)
    assert list_values(built) == {"/a": 500, "/b": 110}, "its own key is not shortened"
    none = build(heap, IN_USE, labels=frozenset([("route", "/none")]))
    assert (total_of(none), none.info.has_labels) == (0, True)


def test_growth_and_allocations_of_a_window_by_label(heap: LiveProfile) -> None:
    grown = build(heap, IN_USE, window=GROWTH, label_key="", heap_grouping="sites")
    assert list_values(grown) == {"/a": 100, "/b": -50}
    only = build(heap, IN_USE, window=GROWTH, labels=ONLY_A, heap_grouping="sites")
    assert only.info.description == "+100 B in use from 0:02 to 0:09"
    assert only.heap is not None
    assert only.heap.name == ("m.f",)
    spent = build(heap, ALLOCATED, window=SPAN, label_key="")
    assert list_values(spent) == {"/a": 100, "/b": 60}
    only = build(heap, ALLOCATED, window=SPAN, labels=ONLY_A, heap_grouping="sites")
    assert only.info.description == "100 B allocated from 0:05 to 0:09"
    assert only.heap is not None
    assert only.heap.total_bytes == 100


def test_a_graph_of_memory_begins_with_labels_and_has_their_colours(heap: LiveProfile) -> None:
    built = build(heap, ALLOCATED, split_key="route", colour_key="route")
    assert list_outermost(built) == {"route = /a": 500, "route = /b": 110, "(no route)": 30}
    assert built.legend is not None
    assert [entry.label for entry in built.legend.entries] == [A, B]
    assert built.scene is not None
    assert built.scene.box_colours is not None
    assert build(heap, ALLOCATED).legend is None


def test_allocations_of_a_span_begin_with_labels_and_have_their_colours(heap: LiveProfile) -> None:
    """A pause shows a span, and must not change the graph."""
    live = build(heap, ALLOCATED, split_key="route", colour_key="route", heap_grouping="sites")
    paused = build(
        heap,
        ALLOCATED,
        split_key="route",
        colour_key="route",
        heap_grouping="sites",
        window=HeapWindow("replay", 0, 900),
    )
    assert list_outermost(paused) == list_outermost(live)
    assert len(list_outermost(paused)) == 3
    assert paused.legend == live.legend
    assert paused.legend is not None
    assert paused.info.can_split
    assert paused.heap is not None
    only = build(heap, ALLOCATED, split_key="route", labels=ONLY_A, window=SPAN)
    assert list_outermost(only) == {"route = /a": 100}
    assert build(heap, ALLOCATED, window=SPAN).info.can_split
    assert not build(heap, IN_USE, window=GROWTH).info.can_split


def test_memory_has_no_thread_to_begin_with(heap: LiveProfile) -> None:
    """All of it would stand in a box "(no thread)", and no chip would say why."""
    assert list_outermost(build(heap, IN_USE, split_key="thread")) == list_outermost(
        build(heap, IN_USE)
    )


def test_buckets_of_an_older_engine_have_no_labels() -> None:
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.sums(2, (0, 4, 400, 0, 0), (1, 1, 50, 0, 0))
    built = build(talk.live, IN_USE, label_key="", split_key="route", colour_key="route")
    assert (total_of(built), built.info.has_labels, list_values(built)) == (450, False, {})
    waits = ContentionTalk()
    waits.define((0, 1, TAKER, 0))
    waits.sums(10, (0, 2, 4 * S, 3 * S))
    assert not build(waits.live, BLOCK).info.has_labels


@pytest.fixture
def waits() -> LiveProfile:
    """m.take of /a waited 4 s for m.give of /b, m.take of /b 1 s, m.other without a label 2 s."""
    talk = ContentionTalk()
    define_labels(talk.live, A, B)
    talk.define(
        (0, 1, TAKER, 0),
        (0, 1, TAKER, 0),
        (0, 1, OTHER_TAKER, 0),
        (1, 1, GIVER, 0),
        (2, 1, GIVER, TAKER),
        (2, 1, GIVER, TAKER),
        labels=(1, 2, 0, 2, 2, 2),
        other_labels=(0, 0, 0, 0, 1, 2),
    )
    talk.events((0, MAIN, 1.0, 2, 4 * S), (1, WORKER, 5.0, 1, S), (2, WORKER, 6.0, 1, 2 * S))
    talk.sums(
        10,
        (0, 2, 4 * S, 3 * S),
        (1, 1, S, S),
        (2, 1, 2 * S, 2 * S),
        (3, 3, 5 * S, 4 * S),
        (4, 2, 4 * S, 3 * S),
        (5, 1, S, S),
    )
    return talk.live


def test_waits_by_label(waits: LiveProfile) -> None:
    built = build(waits, BLOCK, label_key="")
    assert list_values(built) == {"/a": 4 * S, "/b": S}
    assert built.labels is not None
    assert (built.labels.whole, built.labels.has_samples) == (7 * S, False)
    assert list_values(build(waits, BLOCK, label_key="", span_ns=6 * S)) == {"/b": S}
    assert list_values(build(waits, MUTEX, label_key="")) == {"/b": 5 * S}
    assert not build(waits, GIL).info.has_labels


def test_waits_of_one_label(waits: LiveProfile) -> None:
    built = build(waits, BLOCK, labels=ONLY_A, waits_grouping="stacks")
    assert total_of(built) == 4 * S
    assert built.contention is not None
    table = built.contention.table
    assert table is not None
    assert (table.name, table.total_ns.tolist()) == (("m.take",), [4 * S])
    assert built.contention.waiting is not None
    assert round(built.contention.waiting.values.sum()) == 1, "4 s, of which 1 s is since the start"


@pytest.mark.parametrize(
    ("wanted", "label", "seconds"), [(BLOCK, A, 4), (BLOCK, B, 1), (MUTEX, B, 5), (MUTEX, A, 0)]
)
def test_pairs_have_the_labels_of_the_row(
    waits: LiveProfile, wanted: TypeId, label: tuple[str, str], seconds: int
) -> None:
    """Holders of a waiter with the label; waiters for a holder with it."""
    built = build(waits, wanted, labels=frozenset([label]), waits_grouping="stacks")
    assert built.contention is not None
    table = built.contention.table
    assert table is not None
    sides = table.pairs.list_sides(0, 9)
    assert [side.total_ns for side in sides] == ([seconds * S] if seconds else [])


def test_a_graph_of_waits_begins_with_labels_and_has_their_colours(waits: LiveProfile) -> None:
    built = build(waits, BLOCK, split_key="route", colour_key="route", labels=frozenset([A, B]))
    assert list_outermost(built) == {"route = /a": 4 * S, "route = /b": S}
    assert built.legend is not None
    assert [entry.label for entry in built.legend.entries] == [A, B]
