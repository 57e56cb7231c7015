"""The call tree as an item model: rows, their order, and what stays when the scene is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.changes import mark_changes
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import build_scene
from stackglass_viewer.presenter.document.tree_model import CallTreeModel, TreeColumn, find_row_of
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

TEXT = "main;work;parse 30\nmain;save 20\nmain;work;load 5\nidle 45"
PALETTE = choose_palette("module", is_dark=False)


def make_scene(text: str, folder: Path) -> FlameScene:
    profile = read_stacks(text, folder)
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, TypeId(1))
    colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
    request = BuildRequest(TypeId(1), "cost", PALETTE, Arrangement())
    return build_scene(tree, values, colours, request, False)


def list_names(model: CallTreeModel, parent: QModelIndex | None = None) -> list[str]:
    rows = range(model.rowCount(parent))
    return [model.index(row, TreeColumn.NAME, parent).data() for row in rows]


@pytest.fixture
def model(qt: QApplication) -> CallTreeModel:
    return CallTreeModel()


def test_rows_are_calls_the_largest_first(model: CallTreeModel, tmp_path: Path) -> None:
    tester = QAbstractItemModelTester(model)
    model.set_scene(make_scene(TEXT, tmp_path))
    assert list_names(model) == ["main", "idle"]
    main = model.index(0, 0)
    assert list_names(model, main) == ["work", "save"]
    work = model.index(0, 0, main)
    assert list_names(model, work) == ["parse", "load"]
    assert model.parent(model.index(1, 0, work)) == work
    assert model.parent(main) == QModelIndex()
    assert not model.hasChildren(model.index(1, 0))
    shares = [model.index(row, TreeColumn.SHARE).data() for row in range(2)]
    assert shares == ["55.0%", "45.0%"]
    assert model.index(0, TreeColumn.OWN).data() == "–"
    del tester


def test_nothing_is_below_what_has_nothing(model: CallTreeModel, tmp_path: Path) -> None:
    model.set_scene(make_scene("main;work 0\nmain 3", tmp_path))
    assert list_names(model) == ["main"]
    assert not model.hasChildren(model.index(0, 0))
    model.set_scene(None)
    assert model.rowCount() == 0


def test_a_path_is_found_in_another_scene(model: CallTreeModel, tmp_path: Path) -> None:
    model.set_scene(make_scene(TEXT, tmp_path))
    main = model.index(0, 0)
    path = model.path_of(model.index(1, 0, main).internalId())
    assert [name for name, _ in path] == ["main", "save"]
    model.set_scene(make_scene("idle 90\nmain;save 20\nmain;rest 50", tmp_path))
    found = model.find(path)
    assert found.siblingAtColumn(TreeColumn.NAME).data() == "save"
    assert (found.row(), found.parent().row()) == (1, 1)
    assert not model.find((*path, ("gone", ""))).isValid()


def test_rows_keep_their_places_while_they_are_pointed_at(
    model: CallTreeModel, tmp_path: Path
) -> None:
    model.set_scene(make_scene(TEXT, tmp_path))
    assert list_names(model) == ["main", "idle"]
    other = make_scene(f"{TEXT}\nidle 90\nnew 500", tmp_path)
    model.set_scene(other, keeps_order=True)
    assert list_names(model) == ["main", "idle", "new"]
    model.set_scene(other)
    assert list_names(model) == ["new", "idle", "main"]


def test_the_other_way_round_is_said(model: CallTreeModel, tmp_path: Path) -> None:
    scene = make_scene(TEXT, tmp_path)
    model.set_scene(replace(scene, is_inverted=True))
    title = model.headerData(TreeColumn.NAME, Qt.Orientation.Horizontal)
    assert title == "Function, callees first"


def test_a_share_of_a_change_has_no_sign(model: CallTreeModel, tmp_path: Path) -> None:
    scene = make_scene("work 30\nrest -10", tmp_path)
    model.set_scene(mark_changes(scene, PALETTE, 100))
    rows = [
        [model.index(row, column).data() for column in (TreeColumn.TOTAL, TreeColumn.SHARE)]
        for row in range(2)
    ]
    assert rows == [["+30 ns", "30.0%"], ["−10 ns", "10.0%"]]


def test_calls_with_changes_that_cancel_out_have_rows(model: CallTreeModel, tmp_path: Path) -> None:
    scene = make_scene("main;work;parse 10\nmain;work;load -10\nmain;save 3", tmp_path)
    model.set_scene(mark_changes(scene, PALETTE, 100))
    main = model.index(0, 0)
    assert list_names(model, main) == ["save", "work"]
    work = model.index(1, 0, main)
    assert work.data() == "0 ns"
    assert model.hasChildren(work)
    assert list_names(model, work) == ["parse", "load"]
    frame = model.frame_of(work)
    assert find_row_of(scene, frame, (), is_open_only=False) == work.internalId()


def test_a_tool_tip_has_the_file_on_a_line_of_its_own(model: CallTreeModel, tmp_path: Path) -> None:
    scene = make_scene("main\u202e 3", tmp_path)
    tree = replace(scene.tree, frame_file=["/srv/app.py" for _ in scene.tree.frame_file])
    model.set_scene(replace(scene, tree=tree))
    tip = model.index(0, TreeColumn.NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "main\ufffd\n/srv/app.py"
