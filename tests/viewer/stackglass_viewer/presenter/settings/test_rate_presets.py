"""Rate presets."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.rate_presets import (
    EVERYTHING,
    PRESETS,
    USUAL,
    name_rates,
    spell_all,
)


def test_presets_are_named_and_all_else_is_custom() -> None:
    assert [name_rates(preset.rates) for preset in PRESETS] == ["Usual", "Everything"]
    assert name_rates(EVERYTHING.rates._replace(cpu_hz=250)) == "Custom"


def test_a_preset_says_all_that_it_sets() -> None:
    assert spell_all(USUAL.rates) == "CPU 100 Hz  ·  wall off  ·  heap 512 KiB  ·  locks off"
    assert spell_all(USUAL.rates._replace(cpu_hz=0, heap_rate=0)).startswith(
        "CPU off  ·  wall off  ·  heap off"
    )
    reported = spell_all(EVERYTHING.rates)
    assert "wall 100 Hz" in reported
    assert all(each in reported for each in ("block", "mutex", "GIL", "stalls", "other waits"))
