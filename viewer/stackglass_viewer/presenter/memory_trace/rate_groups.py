"""Groups of an allocation-rate chart: types or lines by name, and the colour of each."""

from __future__ import annotations

from collections.abc import Sequence

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.profiles import UNKNOWN
from stackglass_viewer.model.memory_trace.rate_table import NO_STACK, OTHERS, RateRow
from stackglass_viewer.model.memory_trace.trace_index import TypeRates
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.memory_trace import map_groups
from stackglass_viewer.presenter.memory_trace.map_groups import (
    UNKNOWN_TYPE,
    Colouring,
    Group,
    list_hues,
    mix,
    name_line,
)

_BLACK = 0xFF000000
_OTHERS_SHADE = 0.6  # share of the grey for unknown types in the colour of other groups


def suggest_grouping(rates: TypeRates, has_stacks: bool) -> Colouring:
    """Return SITE if more than half of the objects, or of their bytes, have no known type and there
    are stacks; else TYPE."""
    is_unknown = rates.type == 0
    for values in (rates.n, rates.size):
        if has_stacks and 2 * int(values[is_unknown].sum()) > int(values.sum()):
            return Colouring.SITE
    return Colouring.TYPE


def name_group(row: RateRow) -> Group:
    """Return the legend's entry for a row of the table."""
    if row.line is not None:
        return name_line(row.line)
    known = {UNKNOWN: UNKNOWN_TYPE, NO_STACK: map_groups.NO_STACK, OTHERS: "other lines"}
    return Group(known.get(row.name) or make_printable(row.name))


def choose_colours(places: Sequence[int], names: Sequence[str], palette: Palette) -> list[int]:
    """Return 0xAARRGGBB for some rows of a table, which ``places`` names.

    A row keeps its colour unless a larger row needs it; colours differ while there are hues left.
    ``names`` are those of all rows of the table.
    """
    hues = list_hues(palette)
    taken: set[int] = set()
    colours = {}
    for place in sorted(places):
        if names[place] in (UNKNOWN, NO_STACK):
            colours[place] = palette.pseudo
            continue
        hue = next(
            (place + step) % len(hues)
            for step in range(len(hues))
            if (place + step) % len(hues) not in taken or step == len(hues) - 1
        )
        taken.add(hue)
        colours[place] = hues[hue]
    return [colours[place] for place in places]


def choose_others_colour(palette: Palette) -> int:
    """Return the colour of all groups without an entry of their own."""
    return mix(palette.pseudo, _BLACK, _OTHERS_SHADE)
