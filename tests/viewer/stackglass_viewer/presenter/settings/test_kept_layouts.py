"""Layouts that are kept: written, read again, and what damage leaves of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES
from stackglass_viewer.model.heap.buckets import HEAP_TYPES
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.presenter.settings.kept_layouts import (
    KeptLayouts,
    name_kind,
    read_layout,
    write_layout,
)
from stackglass_viewer.presenter.settings.sample_choice import arrange
from stackglass_viewer.presenter.settings.view_layout import (
    DETAILS,
    Split,
    make_preset,
    put,
)
from stackglass_viewer.presenter.settings.view_state import DocumentInfo

LAYOUT = put(put(make_preset("flame"), DETAILS, "flame", "right"), "source", DETAILS, "below")
CPU = DocumentInfo("t", "d", arrange((SampleType("cpu", "nanoseconds"),), 0), True, False)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


def test_each_kind_has_its_own(settings: QSettings) -> None:
    other = put(make_preset("top"), "tree", "top", "left")
    KeptLayouts(settings).store("cpu", LAYOUT)
    KeptLayouts(settings).store("heap", other)
    kept = KeptLayouts(settings)
    assert (kept.read("cpu"), kept.read("heap"), kept.read("capture")) == (LAYOUT, other, None)


@pytest.mark.parametrize("single", [None, make_preset("flame"), make_preset("both")])
def test_a_layout_that_is_none_is_not_kept(settings: QSettings, single: None) -> None:
    kept = KeptLayouts(settings)
    kept.store("cpu", LAYOUT)
    kept.store("cpu", single)
    assert kept.read("cpu") is None
    assert not settings.allKeys()


def test_it_can_be_read_by_eye() -> None:
    written = json.loads(json.dumps(write_layout(LAYOUT)))
    below = {"below": [[DETAILS, 0.5], ["source", 0.5]]}
    assert written == {"focused": "source", "views": {"beside": [["flame", 0.5], [below, 0.5]]}}
    assert read_layout(written) == LAYOUT


@pytest.mark.parametrize(
    "stored", ["", "no JSON", "[]", "7", '{"cpu": 1}', '{"cpu": {"focused": 1}}', "[" * 100_000]
)
def test_damage_is_no_layout(settings: QSettings, stored: str) -> None:
    settings.setValue("layouts", stored)
    kept = KeptLayouts(settings)
    assert kept.read("cpu") is None
    kept.store("cpu", LAYOUT)
    assert kept.read("cpu") == LAYOUT


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ({"beside": [["flame", 0.5], ["disassembly", 0.25], ["top", 0.5]]}, ("flame", "top")),
        ({"beside": [["flame", 0.5], ["flame", 0.5], ["top", 0.5]]}, ("flame", "top")),
        ({"beside": [["flame", 0.5], ["top", -1], ["tree", 0.5]]}, ("flame", "tree")),
        ({"beside": [["flame", 0.5], ["top", float("nan")], ["tree", 1]]}, ("flame", "tree")),
        ({"beside": [["flame", 0.5], "top", ["tree", 0.5]]}, ("flame", "tree")),
        ({"below": [[{"beside": [["flame", 0.5]]}, 0.5], ["tree", 0.5]]}, ("flame", "tree")),
        ({"beside": [["flame", 0.5], ["disassembly", 0.5]]}, None),
        ({"beside": []}, None),
        ({"around": [["flame", 0.5], ["top", 0.5]]}, None),
        ("flame", None),
    ],
)
def test_what_makes_no_sense_is_left_out(views: object, expected: tuple[str, ...] | None) -> None:
    layout = read_layout({"focused": "gone", "views": views})
    if expected is None:
        assert layout is None
        return
    assert layout is not None
    assert layout.views == expected
    assert layout.focused == "flame"
    assert isinstance(layout.root, Split)
    assert sum(layout.root.shares) == pytest.approx(1)


def test_layouts_have_an_end() -> None:
    names = ("flame", "top", "tree", "traces", "source", "labels", "summary", "graph")
    many = read_layout({"focused": "", "views": {"beside": [[name, 0.1] for name in names]}})
    assert many is not None
    assert many.views == names[:6]
    deep: object = {"beside": [["flame", 0.5], ["top", 0.5]]}
    for _ in range(50):
        deep = {"below": [[deep, 1]]}
    assert read_layout({"focused": "", "views": deep}) is None


def test_kinds_of_profiles() -> None:
    heap, waits = arrange(HEAP_TYPES, 0), arrange(CONTENTION_TYPES, 0)
    assert name_kind(CPU, is_memory_trace=False) == "cpu"
    assert name_kind(CPU, is_memory_trace=True) == "trace"
    assert name_kind(replace(CPU, is_live=True), is_memory_trace=False) == "capture"
    assert name_kind(replace(CPU, has_stacks=False), is_memory_trace=False) == "functions"
    assert name_kind(replace(CPU, choice=heap), is_memory_trace=False) == "heap"
    assert name_kind(replace(CPU, choice=waits), is_memory_trace=False) == "contention"
