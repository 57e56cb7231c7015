"""Samples one by one, in the file's order: labels, value, stack, as pprof's ``-traces``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stackglass_viewer.model.graph.frames import FrameTable, name_frames
from stackglass_viewer.model.graph.granularity import name_by_granularity
from stackglass_viewer.model.profile.numeric_labels import (
    find_numeric,
    format_number,
    group_by_key,
)
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.selection import Selection

_RULE = "-----------+" + "-" * 55
_Texts = dict[str, list[str]]


class Trace(NamedTuple):
    """One sample."""

    labels: _Texts  # texts by key, then numbers by key
    value: int  # converted
    stack: list[tuple[int, bool]]  # frame, and whether it was inlined into the next; leaf first


def list_traces(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> tuple[FrameTable, Iterator[Trace]]:
    """The frames, and the samples with a stack."""
    shown = selection.shown
    named = name_by_granularity(
        shown,
        arguments.granularity,
        arguments.trim_path,
        arguments.source_path,
        has_columns=not arguments.noinlines,
    )
    frames = name_frames(named)
    return frames, _list_samples(selection, frames, amounts)


def _list_samples(selection: Selection, frames: FrameTable, amounts: Amounts) -> Iterator[Trace]:
    shown, samples = selection.shown, selection.shown.samples
    values = amounts.convert(amounts.weights, amounts.counts)
    labels = _format_labels(shown, selection.units)
    lines = frames.line_frame.tolist()
    start = frames.line_start.tolist()
    for sample in range(shown.n_samples):
        stack = [
            (lines[line], line + 1 != start[location + 1])
            for location in samples.stack[
                samples.stack_start[sample] : samples.stack_start[sample + 1]
            ].tolist()
            for line in range(start[location], start[location + 1])
        ]
        if stack:
            yield Trace(labels.get(sample, {}), int(values[sample]), stack)


def _format_labels(profile: Profile, units: Mapping[str, str]) -> dict[int, _Texts]:
    """By sample."""
    labels, strings = profile.labels, profile.strings
    found: dict[int, _Texts] = {}
    texts = group_by_key(labels, strings, (labels.text >= 0).nonzero()[0])
    for key in sorted(texts):
        for row in texts[key].tolist():
            text = strings[labels.text[row]]
            found.setdefault(int(labels.sample[row]), {}).setdefault(key, []).append(text)
    numbers = group_by_key(labels, strings, find_numeric(labels).nonzero()[0])
    for key in sorted(numbers):
        for row in numbers[key].tolist():
            text = format_number(int(labels.number[row]), units[key])
            found.setdefault(int(labels.sample[row]), {}).setdefault(key, []).append(text)
    return found


def describe_traces(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    """The report for JSON."""
    frames, traces = list_traces(selection, amounts, arguments)
    described = [
        {"name": name, "file": file} for name, file in zip(frames.name, frames.file, strict=True)
    ]
    inlined = [frame | {"inlined": True} for frame in described]
    return {
        "traces": [
            {
                "value": trace.value,
                "labels": trace.labels,
                "stack": [
                    (inlined if is_inlined else described)[frame]
                    for frame, is_inlined in trace.stack
                ],
            }
            for trace in traces
        ]
    }


def write_traces(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> Iterator[str]:
    """The report's lines: of each sample its labels, then its stack, leaf first, with the value
    beside the leaf."""
    frames, traces = list_traces(selection, amounts, arguments)
    names = [make_printable(name) for name in frames.name]
    for trace in traces:
        yield _RULE
        for key, texts in trace.labels.items():
            yield make_printable(f"{key:>10}:  {' '.join(texts)}")
        shown = amounts.show(trace.value)
        for frame, is_inlined in trace.stack:
            yield f"{shown:>10}   {names[frame]}{' (inline)' if is_inlined else ''}"
            shown = ""
    yield _RULE
