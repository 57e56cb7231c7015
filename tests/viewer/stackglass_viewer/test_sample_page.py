"""Sample page: every view once, in steps, and nothing left of it."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.sample_page import make_sample
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
    parts = ["a part of the page"] * 2 + ["page", "live controls", "timeline", "tables"]
    assert list(make_sample(load_theme("light"))) == [*parts, *VIEWS]
    assert shown == VIEWS
    assert "warm up" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("n_steps", range(1, 10))
def test_it_can_be_given_up_at_any_step(qt: QApplication, n_steps: int) -> None:
    steps = make_sample(load_theme("light"))
    for _ in range(n_steps):
        next(steps)
    steps.close()
    assert "warm up" not in [thread.name for thread in threading.enumerate()]
