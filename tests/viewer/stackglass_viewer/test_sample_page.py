"""Sample page: every view once, in steps, and nothing left of it."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.sample_page import make_sample
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

VIEWS = [
    *("heap", "sandwich", "contention", "source", "labels", "summary", "tree", "traces"),
    *("graph", "time"),
]


def test_it_shows_every_view_that_is_made_when_it_is_looked_at(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    show_view = ProfilePage.show_view

    def note(page: ProfilePage, name: str) -> None:
        show_view(page, name)
        shown.append(page.view)

    monkeypatch.setattr(ProfilePage, "show_view", note)
    parts = [
        *(["icons"] * 4 + ["a part of the page"] * 4 + ["page"]),
        *("a part of the live bar", "live bar", "live controls", "timeline", "tables"),
    ]
    assert list(make_sample(load_theme("light"))) == [*parts, *VIEWS]
    assert shown == VIEWS
    assert "warm up" not in [thread.name for thread in threading.enumerate()]


def test_bars_are_made_when_their_icons_are_there(qt: QApplication) -> None:
    """A step with the icons of a bar took twice as long as one without."""
    load_icon.cache_clear()
    n_before, n_drawn = 0, []
    for name in make_sample(load_theme("light")):
        n_now = load_icon.cache_info().misses
        n_drawn.append((name, n_now - n_before))
        n_before = n_now
    assert max(n for name, n in n_drawn if name == "icons") > 4
    assert max(n for name, n in n_drawn if name != "icons") <= 4


@pytest.mark.parametrize("n_steps", range(1, 10))
def test_it_can_be_given_up_at_any_step(qt: QApplication, n_steps: int) -> None:
    steps = make_sample(load_theme("light"))
    for _ in range(n_steps):
        next(steps)
    steps.close()
    assert "warm up" not in [thread.name for thread in threading.enumerate()]
