"""What grew between two moments, and what was allocated between them, to the byte."""

from __future__ import annotations

from math import exp

import pytest

from harness.heap_talk import START_NS, HeapTalk, S
from stackglass_viewer.model.heap import history as heap_history
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.diff import HeapWindow, WindowView

SPACE, OBJECTS = HeapColumn.INUSE_SPACE, HeapColumn.INUSE_OBJECTS


def totals(view: WindowView) -> dict[str, int]:
    """By path of function names."""
    paths = [""]
    for node in range(1, view.tree.n_nodes):
        name = view.tree.frame_name[view.tree.frame[node]]
        paths.append(f"{paths[view.tree.parent[node]]}/{name}")
    pairs = zip(paths, view.values.total.tolist(), strict=True)
    return {path: total for path, total in pairs if total}


def lines(view: WindowView) -> dict[str, int]:
    return dict(zip(view.tree.frame_name, view.frame_line.tolist(), strict=True))


@pytest.fixture
def talk() -> HeapTalk:
    """f grows by 100 bytes a second at line 2; g, called by f at line 1, shrinks at 3 s."""
    reported = HeapTalk()
    reported.define((2, 1), (3, 1))
    reported.sums(1, (0, 1, 100, 0, 0), (1, 5, 5000, 0, 0))
    reported.sums(2, (0, 2, 200, 0, 0))
    reported.sums(3, (0, 3, 300, 0, 0), (1, 5, 5000, 2, 2000))
    reported.sums(4, (0, 4, 400, 0, 0))
    return reported


def test_growth_and_shrinkage_are_distinguished(talk: HeapTalk) -> None:
    view = talk.live.heap.view_window(HeapWindow("growth", 200, 400), SPACE)
    assert totals(view) == {"": -1800, "/m.f": -1800, "/m.f/m.g": -2000}
    assert view.values.own.tolist()[1:] == [0, 200, -2000]  # <lost samples>, f, g
    assert (view.grown, view.shrunk) == (200, 2000)
    assert (view.after, view.until) == (200, 400)
    assert view.values.unit == "bytes"
    view = talk.live.heap.view_window(HeapWindow("growth", 200, 400), OBJECTS)
    assert totals(view) == {"/m.f/m.g": -2, "": 0} or totals(view) == {"/m.f/m.g": -2}


def test_what_stays_is_no_growth(talk: HeapTalk) -> None:
    view = talk.live.heap.view_window(HeapWindow("growth", 300, 400), SPACE)
    assert totals(view) == {"": 100, "/m.f": 100}
    view = talk.live.heap.view_window(HeapWindow("growth", 400, 400), SPACE)
    assert (totals(view), view.grown, view.shrunk) == ({}, 0, 0)


def test_moments_may_be_given_in_any_order_and_the_later_may_be_now(talk: HeapTalk) -> None:
    view = talk.live.heap.view_window(HeapWindow("growth", 400, 200), SPACE)
    assert (view.grown, view.after, view.until) == (200, 200, 400)
    open_end = HeapWindow("growth", 100, None)
    assert talk.live.heap.view_window(open_end, SPACE).grown == 300
    talk.sums(5, (0, 9, 900, 0, 0))
    view = talk.live.heap.view_window(open_end, SPACE)
    assert (view.grown, view.until) == (800, 500)


def test_moments_are_those_that_are_known(talk: HeapTalk) -> None:
    view = talk.live.heap.view_window(HeapWindow("growth", 0, 289), SPACE)
    assert (view.after, view.until, view.grown) == (100, 300, 200)


def test_buckets_that_came_later_grew_from_nothing(talk: HeapTalk) -> None:
    talk.define((1, 1))
    talk.sums(5, (2, 1, 64, 0, 0))
    view = talk.live.heap.view_window(HeapWindow("growth", 400, 500), SPACE)
    assert totals(view) == {"": 64, "/m.f": 64}
    assert lines(view)["m.f"] == 1


def test_what_was_before_we_came_is_no_growth() -> None:
    talk = HeapTalk(connected_mono_ns=START_NS + 90 * S)
    talk.define((2, 1))
    talk.sums(90.2, (0, 100, 10_000, 0, 0))  # all at once
    talk.sums(91, (0, 101, 10_100, 0, 0))
    view = talk.live.heap.view_window(HeapWindow("growth", 0, None), SPACE)
    assert (view.after, view.until, view.grown) == (9020, 9100, 100)


def test_each_sample_counts_as_what_it_stands_for() -> None:
    talk = HeapTalk()
    talk.define((2, 1000))
    talk.sums(1, (0, 1, 500, 0, 0))
    talk.sums(2, (0, 3, 1500, 0, 0))
    grown = talk.live.heap.view_window(HeapWindow("growth", 100, 200), SPACE).grown
    scale = 1 / (1 - exp(-0.5))
    assert grown == int(1500 * scale) - int(500 * scale)


def test_the_line_is_that_with_most(talk: HeapTalk) -> None:
    view = talk.live.heap.view_window(HeapWindow("growth", 200, 400), SPACE)
    assert lines(view) == {"m.f": 1, "m.g": 9, "<lost samples>": 0}  # 2000 freed below line 1
    view = talk.live.heap.view_window(HeapWindow("growth", 300, 400), SPACE)
    assert lines(view) == {"m.f": 2, "m.g": 0, "<lost samples>": 0}


def test_old_moments_that_were_forgotten_are_not_made_up(
    talk: HeapTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heap_history, "_MAX_ROWS", 40)
    for second in range(5, 60):
        talk.sums(second, (0, second, second * 100, 0, 0))
    assert len(talk.live.heap.list_times()) < 40
    for asked in range(100, 5900, 170):
        view = talk.live.heap.view_window(HeapWindow("growth", asked, None), SPACE)
        assert view.grown == 59 * 100 - view.after  # 100 bytes a second, whatever was kept


def test_a_span_has_what_was_allocated_in_it(talk: HeapTalk) -> None:
    talk.events((0, 7, 1.00, 1, 100), (0, 7, 2.00, 2, 300), (1, 9, 2.50, 1, 1000))
    talk.events((1, 9, 2.40, 1, 1000), is_free=True)
    allocated = HeapColumn.ALLOC_SPACE

    def look(after: int, until: int | None, tids: frozenset[int] | None = None) -> WindowView:
        return talk.live.heap.view_window(HeapWindow("span", after, until), allocated, tids)

    assert totals(look(150, 300)) == {"": 1300, "/m.f": 1300, "/m.f/m.g": 1000}
    assert totals(look(200, 201)) == {"": 300, "/m.f": 300}
    assert totals(look(201, 250)) == {}
    assert totals(look(0, None, frozenset([9]))) == {"": 1000, "/m.f": 1000, "/m.f/m.g": 1000}
    objects = talk.live.heap.view_window(
        HeapWindow("span", 0, None), HeapColumn.ALLOC_OBJECTS, None
    )
    assert (objects.grown, objects.shrunk) == (4, 0)


def test_a_span_has_nothing_of_what_was_cleared() -> None:
    """As for samples and waits: a pause, which shows a span, must not bring it back."""
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.events((0, 7, 1.0, 10, 1000))
    talk.sums(2, (0, 10, 1000, 0, 0))
    talk.live.clear()
    talk.events((1, 7, 3.0, 1, 50))
    talk.sums(4, (1, 1, 50, 0, 0))
    view = talk.live.heap.view_window(HeapWindow("replay", 0, 400), HeapColumn.ALLOC_SPACE)
    assert (view.grown, view.after, view.until) == (50, 200, 400)
    _, columns = talk.live.heap.measure_window(HeapWindow("replay", 0, 400))
    assert columns[HeapColumn.ALLOC_SPACE].tolist() == [0, 50]
    early = talk.live.heap.view_window(HeapWindow("span", 0, 150), HeapColumn.ALLOC_SPACE)
    assert (early.grown, early.after, early.until) == (0, 200, 200)
