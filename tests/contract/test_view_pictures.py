"""docs/views.md shows every view in both themes (``make pictures``)."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from harness.pythons import CHECKOUT
from pictures.sights import SCREEN, SUBJECTS, THEMES
from stackglass_viewer.presenter.settings.contention_texts import KIND_WORDS
from stackglass_viewer.presenter.settings.preferences import REMEMBERED_VIEWS
from stackglass_viewer.presenter.settings.trace_views import PANES, TRACE_VIEWS

PAGE = (CHECKOUT / "docs/views.md").read_text(encoding="utf-8")
KEPT = CHECKOUT / "docs/pictures/views"
SIGHTS = {sight.name: sight for sights in SUBJECTS.values() for sight in sights}
SIGHT_OF_VIEW = {
    "flame": "flame-graph",
    "both": "both",
    "top": "table",
    "sandwich": "sandwich",
    "graph": "call-graph",
    "time": "over-time",
    "heap": "heap-sites",
    "contention": "waits-block",
    "labels": "labels",
    "source": "source",
    "summary": "summary",
    "tree": "call-tree",
    "traces": "traces",
}
MOST_BYTES = 200_000


def list_kept(theme: str) -> set[str]:
    return {path.stem for path in (KEPT / theme).glob("*.png")}


def read_size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG file, px."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


def test_each_view_has_a_sight() -> None:
    assert set(SIGHT_OF_VIEW) == set(REMEMBERED_VIEWS)
    assert set(SIGHT_OF_VIEW.values()) <= set(SIGHTS)


def test_each_kind_of_wait_has_a_sight() -> None:
    shown = {command for sight in SIGHTS.values() for command in sight.commands}
    assert {f"Contention ▸ {text}" for text, _ in KIND_WORDS.values()} <= shown


def test_each_view_of_a_memory_trace_has_a_sight() -> None:
    shown = {sight.entry for sight in SIGHTS.values()} | {TRACE_VIEWS["map"].title}
    assert {TRACE_VIEWS[name].title for name in PANES} <= shown


@pytest.mark.parametrize("theme", THEMES)
def test_each_sight_has_a_small_picture_of_the_same_size(theme: str) -> None:
    assert list_kept(theme) == set(SIGHTS)
    for path in (KEPT / theme).glob("*.png"):
        assert read_size(path) == (SCREEN.width_px, SCREEN.height_px), path.name
        assert path.stat().st_size < MOST_BYTES, path.name


@pytest.mark.parametrize("theme", THEMES)
def test_each_picture_is_on_the_page_once(theme: str) -> None:
    shown = re.findall(rf"!\[[^]]+, {theme}\]\(pictures/views/{theme}/([a-z-]+)\.png\)", PAGE)
    assert sorted(shown) == sorted(SIGHTS)
