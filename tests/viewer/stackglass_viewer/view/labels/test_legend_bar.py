"""The legend's chips in wide and narrow windows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.presenter.document.legend import Legend, LegendEntry
from stackglass_viewer.view.labels.legend_bar import LegendBar
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme

SHARES = {
    "suspended": 0.585,
    "waiting for a lock": 0.197,
    "waiting for the GIL": 0.077,
    "waiting for a processor": 0.048,
    "in a system call": 0.034,
    "running": 0.05,
    "idle": 0.009,
}


@pytest.fixture
def bar(qt: QApplication) -> Iterator[LegendBar]:
    apply_theme(qt, load_theme("light"))
    page = QWidget()
    page.resize(1920, 200)
    made = LegendBar(page)
    entries = (LegendEntry(("state", text), 0xFF00FF00, share) for text, share in SHARES.items())
    made.show_legend(Legend("state", tuple(entries), 0.0))
    page.show()
    yield made
    page.close()
    page.deleteLater()


def list_texts(bar: LegendBar, width_px: int) -> list[str]:
    bar.resize(width_px, bar.sizeHint().height())
    QApplication.processEvents()
    chips = [chip for chip in bar._chips if chip.isVisible()]
    assert chips[-1].geometry().right() <= width_px
    assert all(chip.width() >= chip.sizeHint().width() for chip in chips), "nothing is cut again"
    return [chip.text() for chip in chips]


def test_a_key_that_looks_like_html_is_shown_whole(bar: LegendBar) -> None:
    bar.show_legend(Legend("<b>key</b>", (), 0.0))
    whole_px = bar._title.fontMetrics().horizontalAdvance("Colour: <b>key</b>")
    assert bar._title.sizeHint().width() >= whole_px


def test_short_values_have_their_shares(bar: LegendBar) -> None:
    entries = (LegendEntry(("route", text), 0xFF00FF00, 0.5) for text in ("/a", "/b"))
    bar.show_legend(Legend("route", tuple(entries), 0.0))
    assert list_texts(bar, 600) == ["/a 50.0%", "/b 50.0%"]


def test_a_value_is_cut_only_for_lack_of_room(bar: LegendBar) -> None:
    texts = list_texts(bar, 1292)  # a window of 1366 pixels: all but the longest fit
    assert [text for text in texts if "…" in text] == texts[3:4]
    assert "waiting for a lock 19.7%" in texts


def test_a_share_is_whole_or_not_there(bar: LegendBar) -> None:
    wide = list_texts(bar, 1800)
    assert wide[0] == "suspended 58.5%"
    middle = list_texts(bar, 1292)  # a window of 1366 pixels
    assert [text.split()[-1] for text in middle] == [text.split()[-1] for text in wide]
    assert any("…" in text for text in middle)
    narrow = list_texts(bar, 893)  # a window of 960 pixels
    assert not any("%" in text for text in narrow)
    assert narrow[-1] == "idle"
    assert "idle: 0.90%" in bar._chips[6].toolTip()
    assert list_texts(bar, 1800) == wide
