"""Warm-up: every view once, in steps, and nothing left of it."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.warm_up import WarmUp, list_late_modules


def test_it_shows_every_view_that_is_made_when_it_is_looked_at(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    show_view = ProfilePage.show_view

    def note(page: ProfilePage, name: str) -> None:
        show_view(page, name)
        shown.append(page.view)

    monkeypatch.setattr(ProfilePage, "show_view", note)
    warm_up = WarmUp(load_theme("light"))
    n_steps = 1
    while warm_up.go_on():
        n_steps += 1
    assert shown == [
        "heap", "sandwich", "contention", "source", "labels", "summary", "tree",
        "graph", "time",
    ]  # fmt: skip
    assert n_steps == 3 + len(shown) + len(list(list_late_modules())) + 1
    assert "warm up" not in [thread.name for thread in threading.enumerate()]


def test_it_can_be_given_up_at_any_step(qt: QApplication) -> None:
    theme = load_theme("light")
    for n_steps in range(10):
        warm_up = WarmUp(theme)
        for _ in range(n_steps):
            warm_up.go_on()
        warm_up.stop()
        assert "warm up" not in [thread.name for thread in threading.enumerate()]


def test_it_imports_nothing_while_a_file_is_read(qt: QApplication) -> None:
    is_loading = True
    warm_up = WarmUp(load_theme("light"), lambda: is_loading)
    n_steps = 3 + 8
    for _ in range(n_steps + 20):
        assert warm_up.go_on()
    is_loading = False
    n_left = 1
    while warm_up.go_on():
        n_left += 1
    assert n_left == len(list(list_late_modules())) + 1
