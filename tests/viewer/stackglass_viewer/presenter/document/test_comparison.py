"""What the tab of a comparison shows, built as the worker builds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.label_table import index_profile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.comparison import ComparedSource, Side
from stackglass_viewer.presenter.document.flame_scene import details_of, name_of, sign_of
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice, Shown
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement, TopColumn, order_rows

BEFORE = "main;load 30\nmain;save 40\nmain;same 10"
AFTER = "main;load 50\nmain;new 5\nmain;same 10"
LIGHT = choose_palette("module", False)


def request(*transforms: Transform) -> BuildRequest:
    return BuildRequest(TypeId(1), "cost", LIGHT, Arrangement(), transforms=transforms)


@pytest.fixture
def source(tmp_path: Path) -> ComparedSource:
    sides = (Side("a", read_stacks(BEFORE, tmp_path)), Side("b", read_stacks(AFTER, tmp_path)))
    return ComparedSource(*sides)


def list_boxes(built: Built) -> dict[str, tuple[str, float]]:
    """Sign and width, by name."""
    scene = built.scene
    assert scene is not None
    layout = scene.layout
    return {
        name_of(scene, node): (
            sign_of(scene, node),
            float(layout.right[box] - layout.left[box]),
        )
        for box, node in enumerate(layout.node.tolist())
    }


def list_rows(built: Built) -> list[tuple[str, int, int]]:
    """Name, change and what there was before, in order."""
    top = built.top
    assert top.cum_before is not None
    return [(top.name[at], int(top.flat[at]), int(top.cum_before[at])) for at in built.rows]


def test_a_type_without_values_is_not_the_first(tmp_path: Path) -> None:
    """The default type of ddtrace's files is for GPUs, and a comparison opened on it, empty."""
    profile = read_stacks(BEFORE, tmp_path)
    values = profile.samples.values.copy()
    values[profile.default_type] = 0
    without = replace(profile, samples=replace(profile.samples, values=values))
    assert ComparedSource(Side("a", without), Side("b", without)).first_type == 0
    assert ComparedSource(Side("a", without), Side("b", profile)).first_type == 1


def test_everything_is_drawn_and_shares_are_of_the_base(source: ComparedSource) -> None:
    built = source.build(request())
    assert (built.top.total, built.top.is_change) == (80, True)
    assert list_rows(built) == [
        ("save", -40, 40),  # the largest change first, whichever way
        ("load", 20, 30),
        ("new", 5, 0),
        ("main", 0, 80),
    ]
    assert list_boxes(built) == {
        "all": ("−", 145),
        "main": ("−", 145),
        "load": ("+", 80),
        "save": ("−", 40),
        "same": ("", 20),  # did not change, and is there
        "new": ("+", 5),
    }
    assert built.info.description == "80 ns → 65 ns  ·  −15 ns, 18.8% of the base"
    assert built.info.title == "a → b"
    scene = built.scene
    assert scene is not None
    node = next(at for at in range(scene.tree.n_nodes) if name_of(scene, at) == "load")
    details = details_of(scene, node)
    assert (details.total, details.before, details.share) == (20, 30, 0.25)


def test_changes_alone_are_of_all_that_changed(source: ComparedSource) -> None:
    source.choice = CompareChoice("changes")
    built = source.build(request())
    assert built.top.total == 65  # 40 less, 25 more
    boxes = list_boxes(built)
    assert "same" not in boxes
    assert (boxes["all"], boxes["load"]) == (("−", 65), ("+", 20))


def test_the_base_can_be_the_other_one_and_scaled_to(source: ComparedSource) -> None:
    source.choice = CompareChoice(is_swapped=True)
    built = source.build(request())
    assert source.names == ("b", "a")
    assert (built.top.total, list_rows(built)[0]) == (65, ("save", 40, 0))
    source.choice = CompareChoice(is_scaled=True)
    built = source.build(request())
    assert built.scene is not None
    assert built.scene.total == 0
    assert ("load", 32, 30) in list_rows(built)


def test_filters_apply_to_both(source: ComparedSource) -> None:
    step = Transform(TransformKind.DROP, "save")
    built = source.build(request(step))
    assert list_rows(built) == [("load", 20, 30), ("new", 5, 0), ("main", 0, 40)]
    assert built.top.total == 40
    shown = source.read_shown(request(step))
    assert sorted(shown.samples.values[1].tolist()) == [-30, -10, 5, 10, 50]


def test_the_table_is_sorted_by_what_there_was(source: ComparedSource) -> None:
    top = source.build(request()).top
    for column, names in (
        (TopColumn.CUM_BEFORE, ["main", "save", "load"]),
        (TopColumn.CUM_AFTER, ["main", "load", "new"]),
    ):
        rows = order_rows(top, Arrangement(column)).tolist()
        assert [top.name[at] for at in rows][:3] == names


def test_the_label_that_marks_the_base_is_not_shown(source: ComparedSource, tmp_path: Path) -> None:
    built = source.build(replace(request(), label_key=""))
    assert not built.info.has_labels
    assert built.labels is not None
    assert built.labels.keys == ()
    labelled = encode_labels(encode_stacks("load 30\nsave 10"), [{"route": "/a"}, {"route": "/b"}])
    profile = open_content(labelled, "labelled")
    assert isinstance(profile, Profile)
    other = ComparedSource(Side("a", profile), Side("b", read_stacks(AFTER, tmp_path)))
    built = other.build(replace(request(), label_key="", split_key="route"))
    assert built.info.has_labels
    assert built.labels is not None
    assert built.labels.keys == ("route",)
    assert built.top.total == 40  # the samples of the base are still known
    assert built.describe is not None
    assert {each.key for each in built.describe().labels} == {"route"}
    exported = index_profile(other.read_shown(request()))  # as pprof writes it
    assert "pprof::base" in {key for key, _ in exported.labels}


@pytest.mark.parametrize(("shown", "whole"), [("all", 40), ("changes", 25)])
def test_shares_of_labels_are_of_the_whole_of_the_table(shown: Shown, whole: int) -> None:
    """In the view of changes, the table's shares are of all changes, those of labels were not."""
    labels = [{"route": "/a"}, {"route": "/b"}]
    before, after = (
        open_content(encode_labels(encode_stacks(text), labels), "labelled")
        for text in ("load 30\nsave 10", "load 50\nsave 5")
    )
    assert isinstance(before, Profile)
    assert isinstance(after, Profile)
    compared = ComparedSource(Side("a", before), Side("b", after), CompareChoice(shown=shown))
    built = compared.build(replace(request(), label_key="route"))
    assert built.labels is not None
    assert (built.top.total, built.labels.whole) == (whole, whole)
    chosen = replace(request(), label_key="route", labels=frozenset({("route", "/a")}))
    built = compared.build(chosen)
    assert built.labels is not None
    assert built.labels.whole == whole  # the other values are listed, too
