"""Rate presets: named rates of everything that is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from stackglass.wire.rates import DEFAULT, OFF, Rates, keep_contention, replace_contention
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.settings.rate_texts import describe_rate, spell_rates
from stackglass_viewer.presenter.settings.view_state import ALL_CONTENTION


@dataclass(frozen=True, slots=True)
class RatePreset:
    """Rates with a name."""

    name: str
    rates: Rates


USUAL = RatePreset("Usual", replace_contention(DEFAULT._replace(wall_hz=0), OFF))
"""The rates of a first attachment."""

EVERYTHING = RatePreset("Everything", replace_contention(DEFAULT, ALL_CONTENTION))

PRESETS = (USUAL, EVERYTHING)


def find_preset(rates: Rates) -> RatePreset | None:
    """Return the preset with these rates, with or without native stacks; None = there is none."""
    plain = rates._replace(native_stacks=0)  # how stacks are taken, not how often
    return next((preset for preset in PRESETS if preset.rates == plain), None)


def name_rates(rates: Rates) -> str:
    """Return ``Usual``, ``Everything`` or ``Custom``."""
    preset = find_preset(rates)
    return preset.name if preset is not None else "Custom"


def spell_all(rates: Rates) -> str:
    """Return ``CPU 100 Hz · wall off · heap 512 KiB · locks off``."""
    cpu = f"{format_count(rates.cpu_hz)} Hz" if rates.cpu_hz else "off"
    wall = f"{format_count(rates.wall_hz)} Hz" if rates.wall_hz else "off"
    heap = describe_rate(rates.heap_rate) if rates.heap_rate else "off"
    locks = spell_rates(rates) if keep_contention(rates) != OFF else "locks off"
    return f"CPU {cpu}  ·  wall {wall}  ·  heap {heap}  ·  {locks}"
