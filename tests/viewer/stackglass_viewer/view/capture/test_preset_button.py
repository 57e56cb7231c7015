"""Rate preset button: its text and its tick name the same preset."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING, PRESETS, USUAL, RatePreset
from stackglass_viewer.view.capture.preset_button import PresetButton


@pytest.fixture
def button(qt: QApplication) -> Iterator[PresetButton]:
    made = PresetButton()
    made.menu().aboutToShow.emit()  # which adds its entries
    yield made
    made.deleteLater()


def list_ticked(button: PresetButton) -> list[str]:
    actions = button.menu().actions()
    return [each.text().partition("\t")[0] for each in actions if each.isChecked()]


@pytest.mark.parametrize("native_stacks", [0, 1])
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_preset_in_force_is_named_and_ticked(
    button: PresetButton, preset: RatePreset, native_stacks: int
) -> None:
    """With native stacks it was named, but not ticked."""
    rates = preset.rates._replace(native_stacks=native_stacks)
    button.show_rates(rates)
    assert (button.text(), list_ticked(button)) == (preset.name, [preset.name])
    button.show_rates(rates._replace(cpu_hz=250))
    assert (button.text(), list_ticked(button)) == ("Custom", [])


def test_a_chosen_preset_is_ticked_once_it_is_in_force(button: PresetButton) -> None:
    chosen = QSignalSpy(button.rates_chosen)
    button.show_rates(USUAL.rates._replace(native_stacks=1))
    button.menu().actions()[1].trigger()
    assert chosen.at(0) == [EVERYTHING.rates]
    assert list_ticked(button) == ["Usual"]
    button.show_rates(EVERYTHING.rates._replace(native_stacks=1))
    assert list_ticked(button) == ["Everything"]
