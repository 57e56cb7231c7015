"""Values of reports as the options choose: means, quotients, other units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.measurement import scale
from stackglass_viewer.model.units import format_value

_TOO_LARGE = 2.0**63


def divide_by_counts(table: TopTable, counts: TopTable) -> TopTable:
    """Return means: values divided by counts, as `divide` does."""
    flat, cum = divide(table.flat, counts.flat), divide(table.cum, counts.cum)
    freeze(flat, cum)
    total = int(divide(np.array([table.total]), np.array([counts.total]))[0])
    return replace(table, flat=flat, cum=cum, total=total)


def multiply(value: int, ratio: float) -> int:
    """Return a value multiplied by ``ratio``, rounded toward zero. Raises ContentError if the
    product has more than 64 bits."""
    if ratio == 1:  # exact, also above 2^53
        return value
    product = value * ratio
    if not abs(product) < _TOO_LARGE:
        raise ContentError("divided by so small a number, values have more than 64 bits")
    return int(product)


def format_in_unit(value: int, unit: str, wanted: str) -> str:
    """Return a value as text, in the unit that fits best, or as pprof writes it in ``wanted``:
    what rounds to 0 has no unit and no sign."""
    if not wanted:
        return format_value(value, unit)
    scaled, name = scale(value, unit, wanted)
    number = f"{scaled:.2f}".removesuffix(".00")
    return "0" if number in ("0", "-0") else number + name


def divide(values: Int64s, counts: Int64s) -> Int64s:
    """Return quotients, rounded toward zero; where the count is 0, the value."""
    quotients: Int64s = np.abs(values) // np.where(counts == 0, 1, np.abs(counts))
    is_positive = (values < 0) == (counts < 0)
    return np.where(counts == 0, values, np.where(is_positive, quotients, -quotients))
