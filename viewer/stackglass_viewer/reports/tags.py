"""Labels of samples by key and value, with their sums, as pprof's ``-tags``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.label_table import (
    LabelTable,
    build_label_tables,
    index_profile,
)
from stackglass_viewer.model.units import format_count, make_printable
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.selection import Selection


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A label key and its values. ``total`` is the sum over all samples that have the key; with
    ``--mean`` it is their mean. Values are not yet divided, see Amounts."""

    key: str
    total: int
    value: tuple[str, ...]  # (n_values,)
    flat: Int64s  # (n_values,) sums; means with ``--mean``
    samples: Int64s  # (n_values,) number of samples


def sum_tags(selection: Selection, amounts: Amounts) -> list[Tag]:
    """Return the keys by name, with the values of each in order of size."""
    index = index_profile(selection.shown, amounts.wanted, selection.units)
    ones = np.ones(index.n_bearers, np.int64)
    tables = build_label_tables(index, amounts.weights, ones)
    if amounts.counts is None:
        return [
            Tag(table.key, table.total, table.value, table.flat, table.samples) for table in tables
        ]
    counted = build_label_tables(index, amounts.counts, ones)
    return [_average(amounts, *pair) for pair in zip(tables, counted, strict=True)]


def _average(amounts: Amounts, table: LabelTable, counted: LabelTable) -> Tag:
    count_of = dict(zip(counted.value, counted.flat.tolist(), strict=True))
    counts = np.array([count_of[value] for value in table.value], np.int64)
    total, n = (np.array([each.total], np.int64) for each in (table, counted))
    flat = amounts.average(table.flat, counts)
    return Tag(table.key, int(amounts.average(total, n)[0]), table.value, flat, table.samples)


def describe_tags(
    selection: Selection, amounts: Amounts, _arguments: argparse.Namespace
) -> dict[str, Any]:
    """Return the report for JSON."""
    return {
        "labels": [
            {
                "key": tag.key,
                "total": amounts.scale(tag.total),
                "values": [
                    {"value": value, "flat": amounts.scale(flat), "samples": samples}
                    for value, flat, samples in _list_values(tag)
                ],
            }
            for tag in sum_tags(selection, amounts)
        ]
    }


def write_tags(
    selection: Selection, amounts: Amounts, _arguments: argparse.Namespace
) -> Iterator[str]:
    """Return the lines of the report: each key with its sum, and its values below."""
    tags = sum_tags(selection, amounts)
    if not tags:
        yield "no sample has a label"
    for tag in tags:
        yield ""
        yield make_printable(
            f"{tag.key}: {amounts.show(tag.total)} ({amounts.share(tag.total)} of the total)"
        )
        yield f"{'flat':>10} {'flat%':>7} {'samples':>9}  value"
        for value, flat, samples in _list_values(tag):
            yield make_printable(
                f"{amounts.show(flat):>10} {amounts.share(flat):>7} {format_count(samples):>9}"
                f"  {value}"
            )


def _list_values(tag: Tag) -> Iterator[tuple[str, int, int]]:
    return zip(tag.value, tag.flat.tolist(), tag.samples.tolist(), strict=True)
