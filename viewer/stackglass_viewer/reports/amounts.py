"""Amounts: values of a selection as the options want them: means, divided, in a unit, as shares."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.top import measure_counts, measure_whole
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.selection import Selection
from stackglass_viewer.reports.top_values import divide, format_in_unit, multiply


@dataclass(frozen=True, slots=True, eq=False)
class Amounts:
    """The values of the shown samples, and how their sums are printed. As in pprof, shares are of
    values that ``--divide-by`` has not divided yet."""

    weights: Int64s  # (n_samples,) values, in ``unit``
    counts: Int64s | None  # (n_samples,) divisors for means; None = sums are shown
    total: int  # what 100 % is, not divided; a mean with ``--mean``
    unit: str
    ratio: float  # factor of printed values, from ``--divide-by``
    wanted: str  # unit to print in; "" = the one that fits best

    def average(self, sums: Int64s, counts: Int64s | None) -> Int64s:
        """Return the means of sums of ``weights``. ``counts``: the same sums of ``self.counts``;
        None = the sums themselves."""
        return sums if counts is None else divide(sums, counts)

    def scale(self, value: int) -> int:
        """Return a value for JSON. Raises ContentError, see ``multiply``."""
        return multiply(value, self.ratio)

    def show(self, value: int) -> str:
        """Return a value as text. Raises ContentError, see ``multiply``."""
        return make_printable(format_in_unit(self.scale(value), self.unit, self.wanted))

    def share(self, value: int) -> str:
        """Return a value's share of the total. It has no sign, as in pprof: the value has one."""
        return format_share(value, self.total)


def measure(selection: Selection, arguments: argparse.Namespace) -> Amounts:
    """Return the amounts of a selection, for ``--mean``, ``--divide-by`` and ``--unit``."""
    chosen, shown = selection.sample_type, selection.shown
    total = measure_whole(selection.whole, chosen)
    if arguments.mean:
        counts = measure_counts(selection.whole, chosen)
        total = int(divide(np.array([total]), np.array([counts]))[0])
    return Amounts(
        weights=shown.samples.values[chosen],
        counts=shown.samples.values[0] if arguments.mean else None,
        total=total,
        unit=shown.sample_types[chosen].unit,
        ratio=1 / arguments.divide_by,
        wanted=arguments.unit,
    )


def format_share(value: int, whole: int) -> str:
    """Return a share as a percentage with two decimals; ``-`` if ``whole`` is 0."""
    return f"{100 * abs(value / whole):.2f}%" if whole else "-"
