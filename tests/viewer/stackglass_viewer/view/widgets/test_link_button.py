"""Buttons that look like links, in lists of any width."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.link_button import LinkButton

FILE, FOLDER = "cprofile.workload.prof", "/srv/profiles/of/today"


@pytest.fixture
def button(qt: QApplication) -> LinkButton:
    button = LinkButton(FILE, folder=FOLDER)
    button.ensurePolished()  # a style sheet, if there is one, has its font
    return button


def show(button: LinkButton, width_px: int) -> str:
    button.resize(width_px, 30)
    button.grab()  # the event of a hidden widget's new size comes with it
    return button.text()


def test_a_folder_is_whole_where_there_is_room(button: LinkButton) -> None:
    whole = f"{FILE}   —   {FOLDER}"
    room_px = button.fontMetrics().horizontalAdvance(whole) + 20
    assert show(button, room_px) == whole


def test_the_beginning_of_a_folder_is_cut_before_the_file(button: LinkButton) -> None:
    measure = button.fontMetrics().horizontalAdvance
    text = show(button, measure(f"{FILE}   —   …/of/today") + 20)
    assert text.startswith(f"{FILE}   —   …")
    assert text.endswith("today")
    assert show(button, measure(FILE) + 18) == FILE
    assert show(button, measure(FILE)).endswith("…")
