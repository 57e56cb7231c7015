"""Texts of rates: what is recorded, and how often."""

from __future__ import annotations

from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.model.units import drop_zeros, format_count, format_value
from stackglass_viewer.presenter.settings.view_state import ALL_CONTENTION, USUAL_CONTENTION


def describe_rate(rate: int) -> str:
    """Return a heap rate: ``512 KiB``, ``Every allocation``, ``Off``."""
    if rate == 0:
        return "Off"
    return "Every allocation" if rate == 1 else drop_zeros(format_value(rate, "bytes"))


def describe_rates(rates: Rates) -> str:
    """Return the button's text for contention rates: ``Off``, ``On``, ``All``, ``Custom``."""
    named = {OFF: "Off", USUAL_CONTENTION: "On", ALL_CONTENTION: "All"}
    return named.get(keep_contention(rates), "Custom")


def spell_rates(rates: Rates) -> str:
    """Return contention rates: ``block 10 µs · mutex 1 in 10 · GIL 100 Hz``, without those that
    are off."""
    parts = [
        f"block {describe_block_rate(rates.block_rate_ns).lower()}" if rates.block_rate_ns else "",
        f"mutex {describe_fraction(rates.mutex_fraction).lower()}" if rates.mutex_fraction else "",
        f"GIL {describe_gil_rate(rates.gil_hz)}" if rates.gil_hz else "",
        f"stalls {describe_stall(rates.stall_ns)}" if rates.stall_ns else "",
        "other waits" if rates.has_other else "",
    ]
    return "  ·  ".join(part for part in parts if part) or "off"


def describe_block_rate(block_ns: int) -> str:
    """Return a block rate: ``10 µs``, ``Every wait``, ``Off``."""
    if block_ns == 0:
        return "Off"
    return "Every wait" if block_ns == 1 else drop_zeros(format_value(block_ns, "nanoseconds"))


def describe_fraction(fraction: int) -> str:
    """Return a mutex fraction: ``1 in 10``, ``Every release``, ``Off``."""
    if fraction == 0:
        return "Off"
    return "Every release" if fraction == 1 else f"1 in {format_count(fraction)}"


def describe_gil_rate(hz: int) -> str:
    """Return a GIL rate: ``100 Hz``, ``Off``."""
    return f"{format_count(hz)} Hz" if hz else "Off"


def describe_stall(stall_ns: int) -> str:
    """Return a stall threshold: ``100 ms``, ``Off``."""
    return drop_zeros(format_value(stall_ns, "nanoseconds")) if stall_ns else "Off"
