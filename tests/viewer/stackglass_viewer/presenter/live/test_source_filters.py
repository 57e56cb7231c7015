"""What the tab of a process shows after steps that leave out or merge frames."""

from __future__ import annotations

import pytest

from harness.contention_talk import MAIN, OTHER_TAKER, TAKER, WORKER, ContentionTalk
from harness.heap_talk import HeapTalk, S
from harness.live_source import (
    ALLOCATED,
    BLOCK,
    GONE,
    IN_USE,
    PALETTE,
    build,
    list_rows,
    sample,
    sample_live,
    send_status,
    total_of,
)
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live_profile import CPU, SAMPLES, LiveProfile
from stackglass_viewer.model.profile.call_paths import write_path
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.proto.wire_pb2 import CustomProfiles, FromEngine
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import call_path_of, name_of, path_of
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live.labelled_graph import THREAD
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.tables.top_model import Arrangement

FOCUS_G = (Transform(TransformKind.FOCUS, "m.g"),)
MERGE_G = (Transform(TransformKind.MERGE, "m.g"),)


@pytest.fixture
def live() -> LiveProfile:
    return sample_live()


def test_frames_are_filtered_as_of_a_file(live: LiveProfile) -> None:
    built = build(live, transforms=FOCUS_G)
    assert (total_of(built), built.info.can_filter) == (S, True)
    assert [row for row in list_rows(built) if row[2]] == [("m.g", S, S), ("m.f", 0, S)]
    assert built.info.description == "1.00 s of CPU time in 10.0 s"
    assert built.threads is not None
    assert [row.share for row in built.threads] == [0.75, 0.25], "threads can still be chosen"
    merged = build(live, transforms=MERGE_G)
    assert [row for row in list_rows(merged) if row[2]] == [("m.f", 4 * S, 4 * S)]
    assert total_of(build(live, SAMPLES, transforms=FOCUS_G)) == 100
    none = build(live, transforms=(*MERGE_G, *FOCUS_G))
    assert (total_of(none), none.is_idle) == (0, False)
    assert none.info.description == "no samples pass the filters in 10.0 s"


def test_the_subtree_of_a_call_is_that_of_each_kind_of_values(
    live: LiveProfile, heap: HeapTalk, contention: ContentionTalk
) -> None:
    inner, outer = (
        (Transform(TransformKind.CALL_PATH, write_path(names)),)
        for names in (("m.f", "m.g"), ("m.g",))
    )
    built = build(live, transforms=inner)
    assert [row for row in list_rows(built) if row[2]] == [("m.g", S, S)]
    assert total_of(build(live, transforms=outer)) == 0
    assert total_of(build(heap.live, ALLOCATED, transforms=inner)) == 50
    scene = build(contention.live, BLOCK).scene
    assert scene is not None
    node = next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == "m.take")
    step = (Transform(TransformKind.CALL_PATH, call_path_of(scene, node)),)
    assert total_of(build(contention.live, BLOCK, transforms=step)) == 4 * S


def test_a_path_in_a_split_graph_is_without_the_thread(live: LiveProfile) -> None:
    scene = build(live, split_key=THREAD).scene
    assert scene is not None
    nodes = [node for node in range(scene.tree.n_nodes) if name_of(scene, node) == "m.g"]
    assert {call_path_of(scene, node) for node in nodes} == {write_path(("m.f", "m.g"))}
    assert call_path_of(scene, int(scene.tree.parent[scene.tree.parent[nodes[0]]])) == ""
    assert len(path_of(scene.tree, nodes[0])) == 3


def test_a_refresh_brings_what_is_new_of_what_passes(live: LiveProfile) -> None:
    source = LiveSource(live, GONE)
    request = BuildRequest(CPU, "cost", PALETTE, Arrangement(), transforms=FOCUS_G)
    assert total_of(source.build(request)) == S
    sample(live, (3, 8, 9.0, 100, S), (1, 8, 9.0, 100, S))
    assert total_of(source.build(request)) == 2 * S


def test_lost_samples_stay_unless_they_are_filtered_out(live: LiveProfile) -> None:
    send_status(live, 20, n_lost=10)
    assert total_of(build(live, SAMPLES)) == 410
    assert total_of(build(live, SAMPLES, transforms=MERGE_G)) == 410
    assert total_of(build(live, SAMPLES, transforms=FOCUS_G)) == 100


@pytest.fixture
def heap() -> HeapTalk:
    """Two buckets at f:1 and f:1 g. After 2 s 400 and 50 bytes are in use, after 9 s 500 and 0."""
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.events((0, 7, 1.0, 4, 400), (1, 7, 1.0, 1, 50))
    talk.sums(2, (0, 4, 400, 0, 0), (1, 1, 50, 0, 0))
    talk.events((0, 7, 8.0, 1, 100))
    talk.events((1, 7, 8.0, 1, 50), is_free=True)
    talk.sums(9, (0, 5, 500, 0, 0), (1, 1, 50, 1, 50))
    return talk


@pytest.fixture
def contention() -> ContentionTalk:
    """m.take waited for m.LOCK twice, 4 s, and m.other for the other lock once, 1 s."""
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0))
    talk.events((0, MAIN, 1.0, 2, 4 * S), (1, WORKER, 5.0, 1, S))
    talk.sums(10, (0, 2, 4 * S, 3 * S), (1, 1, S, S))
    return talk


def list_sites(built: Built) -> list[tuple[str, int, int]]:
    """Name, line and bytes."""
    assert built.heap is not None
    columns = (built.heap.name, built.heap.line.tolist(), built.heap.size_bytes.tolist())
    return sorted(zip(*columns, strict=True))


def test_frames_of_the_heap_are_filtered(heap: HeapTalk) -> None:
    whole = build(heap.live, ALLOCATED, heap_grouping="sites")
    assert list_sites(whole) == [("m.f", 1, 500), ("m.g", 9, 50)]
    focus = build(heap.live, ALLOCATED, heap_grouping="sites", transforms=FOCUS_G)
    assert (total_of(focus), list_sites(focus)) == (50, [("m.g", 9, 50)])
    assert focus.info.description == "50 B allocated in 7.00 s"
    merge = build(heap.live, ALLOCATED, heap_grouping="sites", transforms=MERGE_G)
    assert (total_of(merge), list_sites(merge)) == (550, [("m.f", 1, 550)])
    functions = build(heap.live, ALLOCATED, heap_grouping="functions", transforms=MERGE_G)
    assert list_sites(functions) == [("m.f", 0, 550)]


def test_frames_of_growth_are_filtered(heap: HeapTalk) -> None:
    window = HeapWindow("growth", 500, 900)
    focus = build(heap.live, IN_USE, window=window, heap_grouping="sites", transforms=FOCUS_G)
    assert focus.info.description == "−50 B in use from 0:02 to 0:09"
    assert list_sites(focus) == [("m.g", 9, -50)]
    drop = (Transform(TransformKind.DROP, "m.g"),)
    rest = build(heap.live, IN_USE, window=window, transforms=drop)
    assert rest.info.description == "+100 B in use from 0:02 to 0:09"
    span = build(heap.live, ALLOCATED, window=HeapWindow("span", 500, 900), transforms=FOCUS_G)
    assert total_of(span) == 0


def test_frames_of_waits_are_filtered(contention: ContentionTalk) -> None:
    step = (Transform(TransformKind.FOCUS, "m.take"),)
    built = build(contention.live, BLOCK, waits_grouping="stacks", transforms=step)
    assert total_of(built) == 4 * S
    assert built.contention is not None
    assert built.contention.table is not None
    assert built.contention.table.name == ("m.take",)
    assert built.threads is not None
    assert [row.share for row in built.threads] == [0.8, 0.2], "threads can still be chosen"
    acquire = "_thread.lock.acquire"
    merge = (Transform(TransformKind.MERGE, acquire),)
    whole, merged = (build(contention.live, BLOCK, transforms=steps) for steps in ((), merge))
    assert acquire in [name for name, *_ in list_rows(whole)]
    assert acquire not in [name for name, *_ in list_rows(merged)]
    assert total_of(whole) == total_of(merged)


def test_waits_that_a_filter_hides_were_recorded(contention: ContentionTalk) -> None:
    steps = (Transform(TransformKind.FOCUS_MATCH, "nowhere"),)
    hidden = build(contention.live, BLOCK, transforms=steps)
    assert hidden.info.description == "no waits for locks pass the filters in 10.0 s"


def test_values_that_the_program_keeps_are_filtered() -> None:
    live = HeapTalk().live
    message = CustomProfiles(
        profile_name=["app.open"], row=[0, 1], row_profile=[0, 0], row_node=[1, 3], row_count=[3, 4]
    )
    live.apply(FromEngine(custom_profiles=message))
    own = TypeId(len(LIVE_TYPES))
    assert total_of(build(live, own)) == 7
    assert total_of(build(live, own, transforms=FOCUS_G)) == 4
    merged = build(live, own, transforms=MERGE_G)
    assert [row for row in list_rows(merged) if row[2]] == [("m.f", 7, 7)]
