"""The bar of a capture in windows of any width."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from stackglass.wire.rates import OFF, Rates
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING, USUAL
from stackglass_viewer.presenter.settings.view_state import LiveStatus, Phase
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.widgets.menu_button import MenuButton
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme

LEAST_PX = 900


@pytest.fixture
def bar(qt: QApplication) -> Iterator[LiveBar]:
    made = LiveBar(ThreadModel(), load_theme("light"))
    made.show_status(LiveStatus("running", 7, rates=Rates(100, 4096)))
    made.show()
    yield made
    made.deleteLater()


def test_half_a_bar_is_not_shown_with_its_page(qt: QApplication) -> None:
    """A tab may be brought to the front between the steps that make its bar."""
    page, threads = QWidget(), ThreadModel()
    half = LiveBar(threads, load_theme("light"), page, is_whole=False)
    page.show()
    assert not half.isVisible()
    half.make_rest(threads)
    half.show()
    assert half.isVisible()
    page.deleteLater()


def test_words_make_way_for_icons_and_come_back(bar: LiveBar) -> None:
    words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    icons = Qt.ToolButtonStyle.ToolButtonIconOnly
    bar.resize(3000, bar.height())
    whole_px = bar.sizeHint().width()
    for width_px, style in ((whole_px, words), (whole_px - 1, icons), (whole_px, words)):
        bar.resize(width_px, bar.height())
        assert {button.toolButtonStyle() for button in bar._worded} == {style}, width_px
    assert bar.minimumWidth() < whole_px - 100


def test_a_heap_rate_that_somebody_else_chose_is_said(bar: LiveBar) -> None:
    assert bar.heap_rate.text() == "4 KiB"
    bar.show_status(LiveStatus("running", 7, rates=Rates(heap_rate=100_000)))
    assert bar.heap_rate.text() == "97.7 KiB"
    assert list_ticked(bar.heap_rate) == []
    bar.show_status(LiveStatus("detached", 7, rates=OFF))
    assert (bar.heap_rate.text(), bar.heap_rate.isEnabled()) == ("Off", False)


def list_ticked(button: MenuButton) -> list[str]:
    """Open the menu, and return its entries that are ticked."""
    button.menu().aboutToShow.emit()
    actions = button.menu().actions()
    assert len(actions) > 1
    return [action.text().partition("\t")[0] for action in actions if action.isChecked()]


def test_menus_are_made_when_they_open_and_show_what_is_in_force(bar: LiveBar) -> None:
    buttons = (bar.presets, bar.heap_rate, bar.contention)
    assert [button.menu().actions() for button in buttons] == [[], [], []]
    bar.show_status(LiveStatus("running", 7, rates=Rates(250, 4096)))
    assert [list_ticked(button) for button in buttons] == [[], ["4 KiB"], ["Off"]]
    n_entries = len(bar.heap_rate.menu().actions())
    bar.show_status(LiveStatus("running", 7, rates=USUAL.rates))
    usual = [["Usual"], ["512 KiB"], ["Off"]]
    assert [list_ticked(button) for button in buttons] == usual
    assert len(bar.heap_rate.menu().actions()) == n_entries  # they were made once


def test_a_narrow_window_has_room_for_all_of_it(qt: QApplication, bar: LiveBar) -> None:
    apply_theme(qt, load_theme("light"))
    bar.resize(3000, bar.height())
    bar.resize(1024, bar.height())
    assert bar._row.sizeHint().width() <= 1024
    assert bar.presets.text() == ""
    bar.resize(3000, bar.height())
    assert bar.presets.text() == "Custom"
    assert bar._span_caption.isVisibleTo(bar)


def test_the_name_of_the_preset_has_room_in_a_window_of_1280_pixels(
    qt: QApplication, bar: LiveBar
) -> None:
    apply_theme(qt, load_theme("light"))
    bar.show_status(LiveStatus("running", 7, rates=USUAL.rates))
    bar.resize(3000, bar.height())
    bar.resize(1280, bar.height())
    assert bar._row.sizeHint().width() <= 1280
    assert (bar.presets.text(), bar._wall_rate.isVisibleTo(bar)) == ("Usual", True)


def test_a_control_that_gets_narrower_makes_room_at_once(qt: QApplication, bar: LiveBar) -> None:
    """Not when the window gets another width: the box of presets stayed without its name."""
    apply_theme(qt, load_theme("light"))
    bar.show_status(LiveStatus("running", 7, rates=USUAL.rates))
    bar.resize(3000, bar.height())
    bar.resize(1280, bar.height())
    qt.processEvents()
    bar._span.setFixedWidth(bar._span.width() + 300)
    qt.processEvents()
    assert bar._row.sizeHint().width() <= 1280
    assert bar.presets.text() == ""
    bar._span.setFixedWidth(bar._span.width() - 300)
    qt.processEvents()
    assert bar.presets.text() == "Usual"


@pytest.mark.parametrize("width_px", [LEAST_PX, 960, 1024, 1100, 1280, 1366, 3000])
@pytest.mark.parametrize("rates", [USUAL.rates, EVERYTHING.rates, Rates(250, 100_000, 1, 1, 100)])
def test_the_box_of_presets_is_never_blank(
    qt: QApplication, bar: LiveBar, rates: Rates, width_px: int
) -> None:
    """It was an arrow alone."""
    apply_theme(qt, load_theme("light"))
    bar.show_status(LiveStatus("running", 7, rates=rates))
    bar.resize(3000, bar.height())
    bar.resize(width_px, bar.height())
    qt.processEvents()
    assert bar._row.sizeHint().width() <= width_px
    is_icon = bar.presets.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    assert is_icon != bool(bar.presets.text())
    assert not bar.presets.icon().isNull()
    assert "CPU" in bar.presets.toolTip()


def test_a_wall_rate_that_is_recorded_is_hidden_last(qt: QApplication, bar: LiveBar) -> None:
    """In a window of 1024 pixels it stays; the menu bar has the buttons that make room for it."""
    apply_theme(qt, load_theme("light"))
    bar.resize(3000, bar.height())
    bar.resize(1024, bar.height())
    assert not bar._wall_rate.isVisibleTo(bar)
    bar.show_status(LiveStatus("running", 7, rates=EVERYTHING.rates))
    assert bar._wall_rate.isVisibleTo(bar)
    assert bar._row.sizeHint().width() <= 1024
    assert not bar._native.isVisibleTo(bar)
    bar.show_status(LiveStatus("running", 7, rates=USUAL.rates))
    assert not bar._wall_rate.isVisibleTo(bar)
    bar.resize(3000, bar.height())
    assert all(each.isVisibleTo(bar) for each in (bar._wall_rate, bar._native, bar._save))


def test_a_wall_rate_without_room_is_in_the_menu_of_presets(qt: QApplication, bar: LiveBar) -> None:
    apply_theme(qt, load_theme("light"))  # widths are those of a style
    bar.presets.menu().aboutToShow.emit()
    entry = bar.presets.menu().actions()[-1]
    bar.resize(3000, bar.height())
    assert not entry.isVisible()
    assert "Wall rate" not in bar.presets.toolTip()
    bar.resize(LEAST_PX, bar.height())
    assert not bar._wall_rate.isVisibleTo(bar)
    assert entry.isVisible()
    assert bar.presets.toolTip().startswith("Rate presets, and the wall rate\nNow: ")
    entry.trigger()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.title() == "Wall rate"
    menu.close()
    bar.resize(3000, bar.height())
    assert not entry.isVisible()
    assert bar.presets.toolTip().startswith("Rate presets\nNow: ")


def test_the_tip_says_what_the_next_press_does(bar: LiveBar) -> None:
    assert "Stop profiling" in bar._detach.toolTip()
    bar.show_status(LiveStatus("detached", 7))
    assert bar._detach.text() == " Attach again"
    assert "Profile the process again" in bar._detach.toolTip()


def test_the_pause_button_says_what_the_next_press_does(bar: LiveBar) -> None:
    assert bar._pause.toolTip() == "Pause the view; the capture goes on (Space)"
    bar.toggle_pause()
    assert bar._pause.toolTip() == "Resume (Space)"


def test_a_saved_capture_is_not_paused_by_the_key(bar: LiveBar) -> None:
    seen: list[bool] = []
    bar.pause_toggled.connect(seen.append)
    bar.toggle_pause()
    bar.toggle_pause()
    bar.show_status(LiveStatus("saved", 7))
    bar.toggle_pause()
    assert seen == [True, False]


@pytest.mark.parametrize("phase", ["detached", "ended", "lost"])
def test_a_session_that_has_ended_can_be_resumed_and_not_paused(bar: LiveBar, phase: Phase) -> None:
    seen: list[bool] = []
    bar.pause_toggled.connect(seen.append)
    bar.toggle_pause()
    bar.show_status(LiveStatus(phase, 7))
    assert bar.may_toggle("pause")
    bar.toggle_pause()
    assert not bar.may_toggle("pause")
    bar.toggle_pause()
    assert seen == [True, False]
