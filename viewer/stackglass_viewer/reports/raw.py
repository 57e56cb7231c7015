"""Whole content of a profile, row by row, as pprof's ``-raw``: samples, locations, mapped files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stackglass_viewer.model.profile.numeric_labels import find_numeric, group_by_key
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.selection import Selection

_FLAGS = ("[FN]", "[FL]", "[LN]", "[IN]")
_Values = list[str]


def write_raw(
    selection: Selection, _amounts: Amounts, arguments: argparse.Namespace
) -> Iterator[str]:
    """Return the lines. Ids are positions in the tables, from 1."""
    profile = _choose_columns(selection.shown, arguments)
    if profile.doc_url:
        yield make_printable(f"Doc: {profile.doc_url}")
    if profile.period_type is not None:
        kind = profile.period_type
        yield make_printable(f"PeriodType: {kind.name} {kind.unit}")
    yield f"Period: {profile.period}"
    yield "Samples:"
    default = profile.sample_types[profile.default_type].name
    yield make_printable(
        " ".join(
            f"{each.name}/{each.unit}" + ("[dflt]" if each.name == default else "")
            for each in profile.sample_types
        )
    )
    yield from _write_samples(profile)
    yield "Locations"
    for number in range(len(profile.locations.address)):
        yield from _write_location(profile, number)
    yield "Mappings"
    for number in range(len(profile.mappings.filename)):
        yield _write_mapping(profile, number)


def _choose_columns(profile: Profile, arguments: argparse.Namespace) -> Profile:
    """Return the profile with all column numbers 0 for --noinlines alone, as in pprof."""
    if not arguments.noinlines or arguments.showcolumns:
        return profile
    columns = np.zeros_like(profile.locations.line_column)
    return replace(profile, locations=replace(profile.locations, line_column=columns))


def _write_samples(profile: Profile) -> Iterator[str]:
    labels = _list_labels(profile)
    start, stack = profile.samples.stack_start.tolist(), profile.samples.stack.tolist()
    for sample, values in enumerate(profile.samples.values.T.tolist()):
        numbers = "".join(f" {value:>10}" for value in values)
        ids = "".join(f" {each + 1}" for each in stack[start[sample] : start[sample + 1]])
        yield f"{numbers}:{ids}"
        texts, counts = labels.get(sample, ({}, {}))
        for each in (texts, counts):
            if each:
                row = " ".join(sorted(f"{key}:[{' '.join(each[key])}]" for key in each))
                yield make_printable(f"{'':16}{row}")


def _list_labels(profile: Profile) -> dict[int, tuple[dict[str, _Values], dict[str, _Values]]]:
    """Return texts and numbers by key, for each sample with labels."""
    labels, strings = profile.labels, profile.strings
    found: dict[int, tuple[dict[str, _Values], dict[str, _Values]]] = {}
    texts = group_by_key(labels, strings, (labels.text >= 0).nonzero()[0])
    numbers = group_by_key(labels, strings, find_numeric(labels).nonzero()[0])
    for kind, rows_of in enumerate((texts, numbers)):
        for key, rows in rows_of.items():
            for row in rows.tolist():
                of_sample = found.setdefault(int(labels.sample[row]), ({}, {}))[kind]
                unit = strings[labels.unit[row]]
                text = (
                    f"{labels.number[row]} {unit}".rstrip() if kind else strings[labels.text[row]]
                )
                of_sample.setdefault(key, []).append(text)
    return found


def _write_location(profile: Profile, number: int) -> Iterator[str]:
    table = profile.locations
    head = f"{number + 1:>6}: {int(table.address[number]):#x} "
    if table.mapping[number] >= 0:
        head += f"M={table.mapping[number] + 1} "
    if table.is_folded[number]:
        head += "[F] "
    lines = range(int(table.line_start[number]), int(table.line_start[number + 1]))
    if not lines:
        yield head.rstrip()
    for line in lines:
        yield make_printable(head + _describe_line(profile, line))
        head = " " * 13


def _describe_line(profile: Profile, line: int) -> str:
    table, strings, functions = profile.locations, profile.strings, profile.functions
    function = int(table.line_function[line])
    if function < 0:
        return "??"
    name, system_name = strings[functions.name[function]], strings[functions.system_name[function]]
    place = f"{strings[functions.filename[function]]}:{table.line_number[line]}"
    text = f"{name} {place}:{table.line_column[line]} s={functions.start_line[function]}"
    return text if name == system_name else f"{text}({system_name})"


def _write_mapping(profile: Profile, number: int) -> str:
    table, strings = profile.mappings, profile.strings
    numbers = (int(column[number]) for column in (table.start, table.limit, table.offset))
    flags = "".join(text for bit, text in enumerate(_FLAGS) if int(table.flags[number]) >> bit & 1)
    place = "/".join(f"{each:#x}" for each in numbers)
    file, build = strings[table.filename[number]], strings[table.build_id[number]]
    return make_printable(f"{number + 1}: {place} {file} {build} {flags}".rstrip())


def describe_raw(
    selection: Selection, _amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Return the profile for JSON. References are positions in the lists, from 0."""
    profile = _choose_columns(selection.shown, arguments)
    labels = _list_labels(profile)
    start, stack = profile.samples.stack_start.tolist(), profile.samples.stack.tolist()
    kind = profile.period_type
    return {
        "period": profile.period,
        "period_type": None if kind is None else {"name": kind.name, "unit": kind.unit},
        "doc_url": profile.doc_url,
        "samples": [
            {
                "values": values,
                "stack": stack[start[sample] : start[sample + 1]],
                "labels": dict(labels.get(sample, ({}, {}))[0]),
                "numeric_labels": dict(labels.get(sample, ({}, {}))[1]),
            }
            for sample, values in enumerate(profile.samples.values.T.tolist())
        ],
        "locations": _describe_locations(profile),
        "functions": _list_rows(profile, profile.functions, ("name", "system_name", "filename")),
        "mappings": _list_rows(profile, profile.mappings, ("filename", "build_id")),
    }


def _describe_locations(profile: Profile) -> list[dict[str, Any]]:
    table = profile.locations
    start = table.line_start.tolist()
    lines = [
        {"function": function, "line": line, "column": column}
        for function, line, column in zip(
            table.line_function.tolist(),
            table.line_number.tolist(),
            table.line_column.tolist(),
            strict=True,
        )
    ]
    return [
        {
            "address": int(table.address[number]),
            "mapping": int(table.mapping[number]),
            "is_folded": bool(table.is_folded[number]),
            "lines": lines[start[number] : start[number + 1]],
        }
        for number in range(len(table.address))
    ]


def _list_rows(profile: Profile, table: Any, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a table; the columns ``texts`` are string numbers."""
    columns = {name: getattr(table, name).tolist() for name in table.__slots__}
    for name in texts:
        columns[name] = [profile.strings[position] for position in columns[name]]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
