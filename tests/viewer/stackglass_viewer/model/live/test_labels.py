"""Label sets of a session: sums by value, filters, definitions that come late or cannot be."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.live_profile import SAMPLES, THREADS, LiveProfile, LiveView
from stackglass_viewer.model.profile.label_table import Label
from stackglass_viewer.model.profile.label_values import build_label_values
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    FromEngine,
    Ready,
    Status,
    ThreadSnapshot,
)

S = 1_000_000_000
START_NS = 50 * S


def start() -> LiveProfile:
    """Stack 1 is f, stack 2 is f and g."""
    live = LiveProfile(0)
    live.apply(FromEngine(ready=Ready(time_unix_ns=10**18, time_mono_ns=START_NS)))
    batch = Batch(
        strings=["", "f", "g"],
        function_name=[1, 2],
        function_system_name=[1, 2],
        function_filename=[0, 0],
        function_start_line=[1, 9],
        location_function=[0, 1],
        location_line=[1, 9],
        node_parent=[0, 0, 1],
        node_location=[0, 0, 1],
    )
    live.apply(FromEngine(batch=batch))
    return live


def sum_functions(view: LiveView) -> dict[str, int]:
    """What each function has of its own."""
    frames = view.tree.frame[1:].tolist()
    names = [view.tree.frame_name[frame] for frame in frames]
    return {n: own for n, own in zip(names, view.values.own[1:].tolist(), strict=True) if own}


def define_labels(live: LiveProfile) -> None:
    """Set 1: /a and eve, set 2: /b."""
    strings = ["route", "/a", "/b", "user", "eve"]  # strings 3 to 7
    sets: dict[str, list[int]] = {
        "label_set": [1, 1, 2],
        "label_key": [3, 6, 3],
        "label_value": [4, 7, 5],
    }
    live.apply(FromEngine(batch=Batch(strings=strings, **sets)))


def sample_labelled(live: LiveProfile) -> None:
    """Thread 7 has 10 ns of set 1 and 20 ns of none, thread 8 has 40 ns of set 2."""
    batch = Batch(
        sample_node=[1, 1, 2],
        sample_tid=[7, 7, 8],
        sample_labels=[1, 0, 2],
        sample_time=[0, 0, 0],
        sample_count=[1, 2, 3],
        sample_cpu_ns=[10, 20, 40],
    )
    live.apply(FromEngine(batch=batch))


def sum_labels(view: LiveView, key: str, *chosen: Label) -> dict[str, tuple[int, int]]:
    """Weight and samples of each value."""
    table = build_label_values(view.labelled, key, frozenset(chosen)).table
    if table is None:
        return {}
    sums = zip(table.flat.tolist(), table.samples.tolist(), strict=True)
    return dict(zip(table.value, sums, strict=True))


def test_labels_are_summed_and_can_be_chosen() -> None:
    live = start()
    define_labels(live)
    sample_labelled(live)
    view = live.snapshot()
    assert view.labelled.whole == 70
    assert sum_labels(view, "route") == {"/b": (40, 3), "/a": (10, 1)}
    assert sum_labels(view, "user", ("route", "/b")) == {}
    chosen = live.snapshot(labels=frozenset([("route", "/b")]))
    assert sum_functions(chosen) == {"g": 40}
    assert sum_labels(chosen, "route") == sum_labels(view, "route")
    both = live.snapshot(labels=frozenset([("route", "/a"), ("user", "eve")]))
    assert both.values.total[0] == 10
    of_thread = live.snapshot(tids=frozenset([8]))
    assert (of_thread.labelled.whole, sum_labels(of_thread, "route")) == (40, {"/b": (40, 3)})
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7, 8], node=[1, 2], labels=[2, 0])))
    standing = live.snapshot(sample_type=THREADS, labels=frozenset([("route", "/b")]))
    assert sum_functions(standing) == {"f": 1}


def test_labels_may_be_defined_after_their_samples() -> None:
    live = start()
    sample_labelled(live)
    assert sum_functions(live.snapshot(labels=frozenset([("route", "/b")]))) == {}
    assert live.snapshot().labelled.whole == 70
    define_labels(live)
    assert sum_labels(live.snapshot(), "route") == {"/b": (40, 3), "/a": (10, 1)}


TASK = 1 << 16  # a reference has the task above the program's set


def test_a_reference_names_a_set_and_a_task() -> None:
    """The program's own label of that name goes before the task's; a task without a set counts,
    and so does one that is defined after its samples."""
    live = start()
    define_labels(live)  # strings 3 to 7
    batch = Batch(
        strings=["task", "alpha", "own"],  # 8 to 10
        label_set=[TASK, 3],
        label_key=[8, 8],
        label_value=[9, 10],
        sample_node=[1, 1, 2, 2, 2],
        sample_tid=[7] * 5,
        sample_labels=[TASK, TASK + 1, TASK + 3, 2 * TASK, 2 * TASK + 1],
        sample_time=[0] * 5,
        sample_count=[1] * 5,
        sample_cpu_ns=[1, 10, 100, 1000, 10000],
    )
    live.apply(FromEngine(batch=batch))
    assert sum_labels(live.snapshot(), "task") == {"own": (100, 1), "alpha": (11, 2)}
    assert sum_labels(live.snapshot(), "route") == {"/a": (10010, 2)}
    late = Batch(strings=["beta"], label_set=[2 * TASK], label_key=[8], label_value=[11])
    live.apply(FromEngine(batch=late))
    assert sum_labels(live.snapshot(), "task")["beta"] == (11000, 2)
    chosen = live.snapshot(labels=frozenset([("task", "alpha")]))
    assert sum_functions(chosen) == {"f": 11}


def test_what_was_lost_has_no_labels() -> None:
    live = start()
    define_labels(live)
    sample_labelled(live)
    live.apply(FromEngine(status=Status(time_mono_ns=START_NS + S, n_lost=2, cpu_hz=100)))
    view = live.snapshot(sample_type=SAMPLES)
    assert (view.values.total[0], view.labelled.whole) == (8, 8)
    chosen = live.snapshot(sample_type=SAMPLES, labels=frozenset([("route", "/b")]))
    assert sum_functions(chosen) == {"g": 3}


@pytest.mark.parametrize(
    ("label_set", "key", "message"),
    [
        ([TASK + 1], [1], "label set"),
        ([1 << 30], [1], "label set"),
        ([1], [99], "string 99"),
        ([1, 2], [1], "differ in length"),
    ],
)
def test_labels_that_cannot_be_are_refused(
    label_set: list[int], key: list[int], message: str
) -> None:
    batch = Batch(label_set=label_set, label_key=key, label_value=[1])
    with pytest.raises(WireError, match=message):
        start().apply(FromEngine(batch=batch))
