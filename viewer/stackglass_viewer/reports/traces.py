"""Samples one by one, in the file's order: labels, value and stack, as pprof's ``-traces``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from stackglass_viewer.model.profile.frames import FrameTable, name_frames
from stackglass_viewer.model.profile.label_texts import LabelTexts, describe_labels
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.selection import Selection, name_rows

_RULE = "-----------+" + "-" * 55
_T = TypeVar("_T")


class Trace(NamedTuple):
    """A sample with its labels, its value and its stack."""

    labels: LabelTexts  # texts by key, then numbers by key
    value: int  # a mean with --mean; not yet divided, see Amounts
    stack: list[int]  # locations, innermost first


def _name_frames(selection: Selection, arguments: argparse.Namespace) -> FrameTable:
    return name_frames(name_rows(selection.shown, arguments))


def list_traces(selection: Selection, amounts: Amounts) -> Iterator[Trace]:
    """Return the samples that have a stack."""
    samples = selection.shown.samples
    values = amounts.average(amounts.weights, amounts.counts).tolist()
    labels = describe_labels(selection.shown, selection.units)
    start = samples.stack_start.tolist()
    for sample, value in enumerate(values):
        stack = samples.stack[start[sample] : start[sample + 1]].tolist()
        if stack:
            yield Trace(labels.get(sample, {}), value, stack)


def _map_locations(frames: FrameTable, describe: Callable[[int, bool], _T]) -> list[list[_T]]:
    """Return for each location a list with ``describe(frame, is_inlined)`` for each of its lines;
    ``is_inlined``: the frame was inlined into the next one."""
    start, lines = frames.line_start.tolist(), frames.line_frame.tolist()
    return [
        [describe(lines[line], line + 1 != last) for line in range(first, last)]
        for first, last in pairwise(start)
    ]


def describe_traces(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Return the report for JSON."""
    frames = _name_frames(selection, arguments)
    described: list[dict[str, Any]] = [
        {"name": name, "file": file} for name, file in zip(frames.name, frames.file, strict=True)
    ]
    inlined = [frame | {"inlined": True} for frame in described]
    lines = _map_locations(
        frames, lambda frame, is_inlined: (inlined if is_inlined else described)[frame]
    )
    return {
        "traces": [
            {
                "value": amounts.scale(trace.value),
                "labels": trace.labels,
                "stack": [line for location in trace.stack for line in lines[location]],
            }
            for trace in list_traces(selection, amounts)
        ]
    }


def write_traces(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> Iterator[str]:
    """Return the lines of the report: of each sample its labels, then its stack, innermost first,
    with the value beside the first frame. The lines of a stack come as one string."""
    frames = _name_frames(selection, arguments)
    names = [make_printable(name) for name in frames.name]
    lines = _map_locations(
        frames, lambda frame, is_inlined: f"   {names[frame]}{' (inline)' if is_inlined else ''}"
    )
    texts = [f"\n{'':10}".join(each) for each in lines]
    return _write(amounts, list_traces(selection, amounts), texts)


def _write(amounts: Amounts, traces: Iterator[Trace], texts: Sequence[str]) -> Iterator[str]:
    """Return the lines of the report. ``texts``: for each location the text of its lines; the
    first of them lacks the ten columns of the value."""
    between = f"\n{'':10}"
    for trace in traces:
        yield _RULE
        for key, values in trace.labels.items():
            yield make_printable(f"{key:>10}:  {' '.join(values)}")
        stack = between.join([texts[location] for location in trace.stack])
        yield f"{amounts.show(trace.value):>10}{stack}"
    yield _RULE
