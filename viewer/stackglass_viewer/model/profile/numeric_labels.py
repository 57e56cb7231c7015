"""Numeric labels by pprof's rules: which rows count as labels, their units and their texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.measurement import scale
from stackglass_viewer.model.profile.profile import Labels, Profile

_UNITS = {"alignment": "bytes", "request": "bytes"}  # by key, if no sample has a unit


def find_numeric(labels: Labels) -> Bools:
    """Return which rows are numbers: (n_labels,). As in pprof, a zero without a unit is no
    label."""
    is_number: Bools = (labels.text < 0) & ((labels.number != 0) | (labels.unit > 0))
    return is_number


def find_unit(labels: Labels, strings: Sequence[str], rows: Int64s, key: str) -> str:
    """Return the first unit in a key's rows; if no row has one, the unit that the key implies."""
    with_unit = labels.unit[rows]
    with_unit = with_unit[with_unit > 0]
    return strings[with_unit[0]] if len(with_unit) else _UNITS.get(key, key)


def find_units(profile: Profile) -> dict[str, str]:
    """Return the unit of each key that has numbers. Call it before filters drop samples, to get the
    units that pprof finds."""
    labels, strings = profile.labels, profile.strings
    rows_of = group_by_key(labels, strings, np.flatnonzero(find_numeric(labels)))
    return {key: find_unit(labels, strings, rows, key) for key, rows in rows_of.items()}


def format_number(value: int, unit: str, wanted: str = "") -> str:
    """Return a number as text in the unit ``wanted``, or in the largest unit in which it is at
    least 1, with at most two decimals.

    >>> format_number(1536, "bytes"), format_number(3, "widgets"), format_number(0, "ms")
    ('1.50kB', '3', '0')
    >>> format_number(1536, "bytes", "b"), format_number(3, "", "ms")
    ('1536B', '3')
    """
    scaled, name = scale(value, unit, wanted if wanted and unit else "minimum")
    text = f"{scaled:.2f}".removesuffix(".00")
    return "0" if text in ("0", "-0") else f"{text}{name}"


def group_by_key(labels: Labels, strings: Sequence[str], rows: Int64s) -> dict[str, Int64s]:
    """Return the rows by the text of their key, ascending. Keys with the same text are one group,
    since a file may contain a string twice."""
    numbers, number_of = np.unique(labels.key[rows], return_inverse=True)
    order = np.argsort(number_of, kind="stable")
    parts = np.split(rows[order], np.cumsum(np.bincount(number_of, minlength=len(numbers)))[:-1])
    grouped: dict[str, list[Int64s]] = {}
    for number, part in zip(numbers.tolist(), parts, strict=False):
        grouped.setdefault(strings[number], []).append(part)
    return {key: np.sort(np.concatenate(own)) for key, own in grouped.items()}
