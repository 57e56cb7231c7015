"""Placing: a number that stays the same while boxes are to stay where they are."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.document.placing import Placing


def test_it_begins_anew_only_where_places_are_kept(qt: QApplication, heard: Any) -> None:
    kept = [True]
    placing = Placing(lambda: kept[0])
    placing.begun_anew.connect(heard.hear)
    first = placing.number
    assert first == placing.number
    placing.begin_anew()
    assert placing.number not in (None, first)
    assert len(heard.values) == 1
    kept[0] = False
    placing.begin_anew()
    assert placing.number is None
    assert len(heard.values) == 1


def test_what_is_forgotten_is_placed_anew_next_time(qt: QApplication, heard: Any) -> None:
    placing = Placing(lambda: True)
    placing.begun_anew.connect(heard.hear)
    first = placing.number
    placing.forget()
    assert placing.number != first
    assert not heard.values
