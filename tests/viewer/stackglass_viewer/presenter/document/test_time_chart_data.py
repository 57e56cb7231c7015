"""A file that says when its samples were there: what is shown of a span of it, and over time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.timed_files import write_trace
from harness.timed_stacks import MS
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.legend import IDLE_LABEL, Legend, LegendEntry
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.document.time_chart_data import ActivityKind, Timed, list_kinds
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

LIGHT, SAFE = choose_palette("module", False), choose_palette("safe", False)
WORK = ("thread", "work")
REQUEST = BuildRequest(TypeId(0), "cost", LIGHT, Arrangement(), has_times=True)


@pytest.fixture
def source(tmp_path: Path) -> ProfileSource:
    profile = open_profile(write_trace(tmp_path / "trace.json"))
    assert isinstance(profile, Profile)
    return ProfileSource(profile, "trace.json")


def list_totals(built: Built) -> dict[str, int]:
    """Of functions, ms."""
    top = built.top
    return {name: round(int(cum) / MS) for name, cum in zip(top.name, top.cum, strict=True) if cum}


def timed_of(built: Built) -> Timed:
    assert built.timed is not None
    return built.timed


def list_lanes(built: Built) -> list[str]:
    return [lane.name for lane in timed_of(built).stretches.lanes]


def test_a_span_filters_graph_and_table(source: ProfileSource) -> None:
    assert list_totals(source.build(REQUEST)) == {
        "run": 300, "load": 250, "save": 50, "spin": 50, "wait": 50,
    }  # fmt: skip
    cut = source.build(replace(REQUEST, time_span=(80 * MS, 220 * MS)))
    assert list_totals(cut) == {"run": 140, "load": 90, "save": 50, "spin": 20, "wait": 20}
    assert cut.scene is not None
    assert round(cut.scene.total / MS) == 180
    assert source.build(replace(REQUEST, time_span=(400 * MS, 500 * MS))).info.is_filtered_out
    assert list_totals(source.build(REQUEST))["run"] == 300


def test_what_is_saved_is_what_is_shown(source: ProfileSource) -> None:
    request = replace(REQUEST, time_span=(80 * MS, 220 * MS), labels=frozenset({WORK}))
    saved = source.read_shown(request)
    assert round(int(saved.samples.values[0].sum()) / MS) == 40
    assert list_totals(source.build(request)) == {"spin": 20, "wait": 20}


def test_lanes_are_of_all_of_the_time_whatever_is_chosen(source: ProfileSource) -> None:
    whole = timed_of(source.build(REQUEST))
    assert [lane.name for lane in whole.stretches.lanes] == ["main", "work"]
    assert [lane.key for lane in whole.stretches.lanes] == ["thread", "thread"]
    assert timed_of(source.build(replace(REQUEST, time_span=(0, 10 * MS)))) is whole
    assert source.build(replace(REQUEST, has_times=False)).timed is None
    again = timed_of(source.build(REQUEST))
    assert again is not whole, "it is not kept while it is not looked at"


def test_the_other_filters_are_theirs_too(source: ProfileSource) -> None:
    assert list_lanes(source.build(replace(REQUEST, labels=frozenset({WORK})))) == ["work"]
    hidden = replace(REQUEST, transforms=(Transform(TransformKind.DROP, "run"),))
    assert list_lanes(source.build(hidden)) == ["work"]
    before = timed_of(source.build(REQUEST))
    other = timed_of(source.build(replace(REQUEST, palette=SAFE)))
    assert (before.colours != other.colours).any()


def test_order_by_time_is_the_order_of_the_first_call(tmp_path: Path) -> None:
    text = "main run;b 0 10\nmain run;a 10 90\nmain run;b 90 95"
    profile = open_profile(write_trace(tmp_path / "order.json", text))
    assert isinstance(profile, Profile)
    scene = ProfileSource(profile, "").build(replace(REQUEST, order="time")).scene
    assert scene is not None
    first, last = scene.layout.row_start[2:4]
    assert [name_of(scene, int(node)) for node in scene.layout.node[first:last]] == ["b", "a"]


def test_kinds_do_not_change_places_with_the_data() -> None:
    def make(*values: str) -> Legend:
        return Legend("state", tuple(LegendEntry(("state", each), 7, 0.1) for each in values), 0)

    kinds = list_kinds(make("idle", "waiting for a lock", "running", "in a call"))
    assert [kind.label[1] for kind in kinds] == [
        "running", "in a call", "waiting for a lock", "idle",
    ]  # fmt: skip
    assert list_kinds(make("waiting for a lock", "running", "in a call", "idle")) == kinds
    assert list_kinds(None) == ()


def test_a_heat_map_leaves_out_threads_with_nothing_to_do(source: ProfileSource) -> None:
    stretches = timed_of(source.build(REQUEST)).stretches
    kinds = (ActivityKind(("state", "running"), 1), ActivityKind(IDLE_LABEL, 2))
    assert Timed(stretches, np.zeros(0, dtype=np.uint32), 0, kinds).heats == [True, False]
