"""Axes of the timeline: a few ticks, at round numbers of bytes, seconds or counts."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.units import format_clock, format_value
from stackglass_viewer.view.widgets.theme import fixed_font

COUNTED = {"threads": "", "tasks": "", "arenas": "", "per second": "/s", "percent": "%"}
"""The suffix of each unit that is written as a decimal number."""
_OF_NOTHING = 2.0  # a row of bytes reaches up to here if it has no value, or only zeros


class TimelineAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Formats values by ``unit``: clock, bytes, rate, nanoseconds, or one of ``COUNTED``."""

    def __init__(self, unit: str, side: str) -> None:
        super().__init__(side)
        self._unit = unit
        self.setStyle(tickLength=-4, tickTextOffset=4, autoExpandTextSpace=False)
        self.setTickFont(fixed_font())

    def set_unit(self, unit: str) -> None:
        """Write values in another unit."""
        self._unit = unit
        self.picture = None
        self.update()

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self._unit == "clock":
            return [format_clock(value / UNITS_PER_S) for value in values]
        if self._unit in COUNTED:
            suffix = COUNTED[self._unit]
            return [f"{value:g}{suffix}" if value else "" for value in values]
        unit, suffix = ("bytes", "/s") if self._unit == "rate" else (self._unit, "")
        texts = [format_value(round(value), unit) + suffix for value in values]
        # 0 gets no text: it is at the row's bottom edge, where the next row's text is.
        return [text if value else "" for text, value in zip(texts, values, strict=True)]

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Return a few ticks, at round numbers of the unit that is written; none if there is no
        value."""
        if self._unit in ("bytes", "rate") and high <= _OF_NOTHING:
            return []
        n_ticks = max(size / (110 if self._unit == "clock" else 24), 1)  # px a tick
        step = self._choose_step((high - low) / n_ticks)
        first = np.ceil(low / step) * step
        return [(step, [float(tick) for tick in np.arange(first, high + step * 1e-6, step)])]

    def _choose_step(self, step: float) -> float:
        if self._unit in (*COUNTED, "nanoseconds"):
            return _round_up_decimal(step, least=1 if self._unit == "arenas" else 0)
        base = UNITS_PER_S if self._unit == "clock" else 2.0**10
        return _round_up(step, is_time=self._unit == "clock", base=base)


def _round_up_decimal(step: float, least: float) -> float:
    """Return the next 1, 2 or 5 times a power of ten from ``step`` on, at least ``least``."""
    power = float(10.0 ** np.floor(np.log10(max(step, 1e-6))))
    steps = (each * power for each in (1, 2, 5, 10))
    return max(next(each for each in steps if each >= step), least)


def _round_up(step: float, is_time: bool, base: float) -> float:
    """Return the next round number from ``step`` on, of seconds if ``is_time``, else of bytes."""
    if is_time:
        seconds = step / base
        for each in (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600):
            if each >= seconds:
                return each * base
        return float(np.ceil(seconds / 3600)) * 3600 * base
    if step <= 1:
        return 1.0
    power = float(base ** np.floor(np.log(step) / np.log(base)))
    for each in (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40, 50, 80, 100, 150, 200, 300, 400, 500, 800):
        if each * power >= step:
            return each * power
    return power * base
