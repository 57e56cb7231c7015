"""Preferences: kept, and replaced by the default where they make no sense."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, QSettings

from stackglass.wire.rates import OFF, Rates, replace_contention
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.view_state import HEAP_RATES, USUAL_CONTENTION


def test_choices_are_kept(settings: QSettings) -> None:
    before = Preferences(settings)
    assert (before.choice("theme"), before.choice("span")) == ("system", "10 s")
    before.set_choice("theme", "dark")
    before.is_timeline_shown = True
    before.geometry = QByteArray(b"somewhere")
    assert before.table_share is None
    before.table_share = 0.4
    after = Preferences(settings)
    assert (after.choice("theme"), after.is_timeline_shown) == ("dark", True)
    assert after.geometry == QByteArray(b"somewhere")
    assert after.table_share == 0.4
    settings.setValue("table_percent", "140")
    assert after.table_share is None


def test_rates_are_kept(settings: QSettings) -> None:
    chosen = replace_contention(Rates(1000, HEAP_RATES[1]), USUAL_CONTENTION)
    Preferences(settings).rates = chosen
    assert Preferences(settings).rates == chosen


@pytest.mark.parametrize(
    ("key", "stored"),
    [
        ("theme", "pink"),
        ("rate_hz", "fast"),
        ("rate_hz", 0),
        ("heap_rate", "-1"),
        ("heap_rate", "much"),
        ("contention_rates", "1 2"),
        ("contention_rates", "1 2 3 4 x"),
        ("contention_rates", "1 2 99999999 0 0"),
        ("geometry", "somewhere"),
    ],
)
def test_what_makes_no_sense_becomes_the_default(
    settings: QSettings, key: str, stored: object
) -> None:
    usual = Preferences(settings)
    before = (usual.choice("theme"), usual.rates, usual.geometry)
    settings.setValue(key, stored)
    assert (usual.choice("theme"), usual.rates, usual.geometry) == before
    assert usual.contention_rates == OFF


def test_an_older_versions_contention_has_stalls_with_block(settings: QSettings) -> None:
    preferences = Preferences(settings)
    for stored, stall_ns in (("10000 10 0", USUAL_CONTENTION.stall_ns), ("0 10 0", 0)):
        settings.setValue("contention_rates", stored)
        assert preferences.contention_rates.mutex_fraction == 10
        assert preferences.contention_rates.stall_ns == stall_ns
