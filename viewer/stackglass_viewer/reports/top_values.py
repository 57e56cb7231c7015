"""Values of a table of functions as the options want them: means, other units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.measurement import scale
from stackglass_viewer.model.units import format_value


def divide_by_counts(table: TopTable, counts: TopTable) -> TopTable:
    """Return means: values divided by counts, toward zero; without a count the value."""
    flat, cum = divide(table.flat, counts.flat), divide(table.cum, counts.cum)
    freeze(flat, cum)
    total = int(divide(np.array([table.total]), np.array([counts.total]))[0])
    return replace(table, flat=flat, cum=cum, total=total)


def multiply(table: TopTable, ratio: float) -> TopTable:
    """Return the table with all values multiplied by ``ratio``, rounded toward zero."""
    flat, cum = ((column * ratio).astype(np.int64) for column in (table.flat, table.cum))
    freeze(flat, cum)
    return replace(table, flat=flat, cum=cum, total=int(table.total * ratio))


def format_in_unit(value: int, unit: str, wanted: str) -> str:
    """Return a value as text, in the unit that fits best, or as pprof writes it in ``wanted``."""
    if not wanted:
        return format_value(value, unit)
    scaled, name = scale(value, unit, wanted)
    return f"{scaled:.2f}".removesuffix(".00") + name


def divide(values: Int64s, counts: Int64s) -> Int64s:
    """Return quotients, rounded toward zero; where the count is 0, the value."""
    quotients: Int64s = np.abs(values) // np.where(counts == 0, 1, np.abs(counts))
    is_positive = (values < 0) == (counts < 0)
    return np.where(counts == 0, values, np.where(is_positive, quotients, -quotients))
