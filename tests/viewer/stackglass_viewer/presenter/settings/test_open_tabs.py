"""The tabs that are kept for the next run: what other versions wrote, and what makes no sense."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QSettings

from stackglass_viewer.presenter.settings.open_tabs import OpenTabs, ZoomRecord

RECORD: dict[str, object] = {
    "path": "/a",
    "pid": 0,
    "began": "",
    "title": "a",
    "view": "top",
    "type": ["cpu", "nanoseconds"],
    "transforms": [],
    "labels": [],
    "front": True,
}


def test_markers_that_make_no_sense_are_none(settings: QSettings) -> None:
    growths = [[-1, 5], ["1", 5], [1], [1, -5], 3, [1.5, None], [1, None], [1, 5]]
    rows = [RECORD | {"growth": growth} for growth in growths]
    settings.setValue("open_tabs", json.dumps(rows))
    kept = [each.growth for each in OpenTabs(settings).read()]
    assert kept == [None] * 6 + [(1, None), (1, 5)]


def test_what_older_versions_kept_is_read(settings: QSettings) -> None:
    odd = RECORD | {"span": "1 min", "tids": [1, "2"]}
    settings.setValue(
        "open_tabs", json.dumps([RECORD, odd, RECORD | {"span": "1 min", "tids": [7]}])
    )
    kept = [(each.span, each.tids) for each in OpenTabs(settings).read()]
    assert kept == [("", frozenset()), ("", frozenset()), ("1 min", frozenset({7}))]


@pytest.mark.parametrize(
    "stored", ["", "[", "{}", "[1]", '[{"path": ""}]', "[" * 100_000, '[{"path": 3, "pid": 0}]']
)
def test_what_makes_no_sense_is_left_out(settings: QSettings, stored: str) -> None:
    settings.setValue("open_tabs", stored)
    assert OpenTabs(settings).read() == ()


def test_a_path_that_no_file_can_have_is_left_out(settings: QSettings) -> None:
    """Edited by hand: the system call would raise ValueError."""
    rows = [RECORD | {"path": "/a\0b", "pid": 0}, RECORD | {"more": ["/c\0d"]}]
    settings.setValue("open_tabs", json.dumps(rows))
    assert [each.more for each in OpenTabs(settings).read()] == [()]


def test_a_view_of_another_version_is_the_usual_one(settings: QSettings) -> None:
    rows = [RECORD | {"view": view} for view in ("disassembly", "", "both", "rates")]
    settings.setValue("open_tabs", json.dumps(rows))
    kept = [each.view for each in OpenTabs(settings).read()]
    assert kept == ["flame", "flame", "both", "rates"]


def test_a_zoom_that_makes_no_sense_is_none(settings: QSettings) -> None:
    zooms = [
        3, [0.5, 0.1, 0.0, []], [0.0, float("inf"), 0.0, []], [0.1, 0.2, 0.0, [["f"]]],
        [0.1, 0.2, 0.0, [["f", "a.py"]]],
    ]  # fmt: skip
    settings.setValue("open_tabs", json.dumps([RECORD | {"zoom": zoom} for zoom in zooms]))
    kept = [each.zoom for each in OpenTabs(settings).read()]
    assert kept == [None] * 4 + [ZoomRecord((("f", "a.py"),), 0.1, 0.2, 0.0)]


def test_what_is_recorded_of_a_process_is_the_usual_where_it_makes_no_sense(
    settings: QSettings,
) -> None:
    process = RECORD | {"path": "", "pid": 7}
    parts: list[dict[str, object]] = [
        {},
        {"native": 0, "variables": []},
        {"native": False, "variables": [1]},
        {"native": False},
        {"native": False, "variables": ["shop:request"]},
    ]
    settings.setValue("open_tabs", json.dumps([process | each for each in parts]))
    kept = [(each.has_native, each.variables) for each in OpenTabs(settings).read()]
    assert kept == [(True, ())] * 4 + [(False, ("shop:request",))]


def test_a_span_that_makes_no_sense_is_none(settings: QSettings) -> None:
    brushes = [[5, 5], [-1, 5], [1, "5"], 3, [1, 5]]
    rows = [RECORD | {"brush": brush} for brush in brushes]
    settings.setValue("open_tabs", json.dumps(rows))
    assert [each.brush for each in OpenTabs(settings).read()] == [None] * 4 + [(1, 5)]


def test_a_family_that_makes_no_sense_is_none(settings: QSettings) -> None:
    process = RECORD | {"path": "", "pid": 7}
    parts: list[dict[str, object]] = [
        {},
        {"family": "7", "group": False, "family_name": "web.py 7"},
        {"family": -7, "group": False, "family_name": "web.py 7"},
        {"family": 0, "group": True, "family_name": "web.py 7"},
        {"family": 7, "group": 1, "family_name": "web.py 7"},
        {"family": 7, "group": True, "family_name": 7},
        {"family": 7, "family_name": "web.py 7"},
        {"family": 7, "group": True, "family_name": "web.py 7"},
    ]
    settings.setValue("open_tabs", json.dumps([process | each for each in parts]))
    kept = [(each.family, each.is_group, each.family_name) for each in OpenTabs(settings).read()]
    assert kept == [(0, False, "")] * 7 + [(7, True, "web.py 7")]
