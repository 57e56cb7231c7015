"""Reader of the Firefox Profiler's JSON: files it saves, samply's and others', and Gecko's own.

::

    stackTable   prefix: [null, 0, 1]   frame: [0, 1, 2]       a stack and its caller's
    frameTable   func: [0, 1, 1]        line: [12, null, 40]
    funcTable    name: [0, 1]           fileName: [2, null]    numbers of stringArray
    samples      stack: [2, 2, 1]       weight: null           of each thread

Tables are a thread's, or since later versions shared by all. Gecko's own files have the same with
rows in place of columns, and frames as texts, ``main (app.js:12)``.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from typing import Any

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.firefox_tables import Tables, open_gecko, open_processed
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label

_SAMPLES = SampleType("samples", "count")
_TIME = SampleType("time", "nanoseconds")
_BYTES = SampleType("space", "bytes")
_TYPES = {"samples": (_SAMPLES, _TIME), "tracing-ms": (_TIME,), "bytes": (_BYTES,)}
_NS_A_MS = 1e6
_FIRST_START_MS = 1e11  # smaller ones are of a clock that begins with the machine


def read_firefox(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        return _read(json.loads(content))
    except DAMAGE as error:
        raise ProfileError(explain_damage("a profile of the Firefox Profiler", error)) from None


def _read(document: dict[str, Any]) -> Profile:
    meta = document["meta"]
    interval_ms = meta.get("interval") or 0
    is_processed = "preprocessedProfileVersion" in meta
    threads = list(open_processed(document) if is_processed else open_gecko(document))
    kinds = list(dict.fromkeys(tables.weight_type for tables in threads))
    for kind in kinds:
        if kind not in _TYPES:
            raise ValueError(f"unknown type of weights {str(kind)[:20]!r}")
    types = list(dict.fromkeys(each for kind in kinds for each in _TYPES[kind]))
    samples = FrameSamples()
    for tables in threads:
        _add_thread(tables, samples, types, interval_ms)
    times = [each for tables in threads for each in (min(tables.times_ms), max(tables.times_ms))]
    start_ms = meta.get("startTime") or 0
    product = str(meta.get("product") or "")
    return samples.build(
        types,
        duration_ns=_to_ns(max(times) - min(times)) if times else 0,
        time_unix_ns=_to_ns(start_ms) if start_ms > _FIRST_START_MS else 0,
        comments=(product,) if product else (),
    )


def _add_thread(
    tables: Tables, samples: FrameSamples, types: list[SampleType], interval_ms: float
) -> None:
    labels = [Label("thread", tables.thread)] if tables.thread else []
    labels += [Label("process", tables.process)] if tables.process else []
    paths = CallerPaths(tables.find_prefix, tables.n_stacks)
    places: dict[int, int] = {}
    sample_of: dict[int, int] = {}
    counts, weights = _sum_stacks(tables)
    for stack, n in enumerate(counts):
        if not n:
            continue
        weight = weights[stack]
        frames = [tables.find_frame(each) for each in paths.list_stack(stack)]
        for frame in frames:
            if frame not in places:
                places[frame] = samples.add_frame(tables.describe_frame(frame))
        values = _list_values(tables.weight_type, types, weight, interval_ms)
        sample_of[stack] = samples.add(values, [places[frame] for frame in frames], labels)
    if len(tables.times_ms) != len(tables.stacks):
        return
    for place, stack, weight in _list_samples(tables):
        begin_ns = round(tables.times_ms[place] * _NS_A_MS)
        end_ns = begin_ns
        if tables.weight_type == "tracing-ms":
            end_ns += max(round(weight * _NS_A_MS), 0)
        values = _list_values(tables.weight_type, types, weight, interval_ms)
        samples.add_time(sample_of[stack], begin_ns, end_ns, values)


def _list_values(
    weight_type: str, types: list[SampleType], weight: float, interval_ms: float
) -> list[int]:
    values = dict.fromkeys(types, 0)
    if weight_type == "bytes":
        values[_BYTES] = round(weight)
    elif weight_type == "tracing-ms":
        values[_TIME] = round(weight * _NS_A_MS)
    else:
        values[_SAMPLES] = round(weight)
        values[_TIME] = round(weight * interval_ms * _NS_A_MS)
    return list(values.values())


def _sum_stacks(tables: Tables) -> tuple[array[int], array[float]]:
    """Of each stack: samples, and their weights."""
    counts, weights = array("q", bytes(8 * tables.n_stacks)), array("d", bytes(8 * tables.n_stacks))
    for _, stack, weight in _list_samples(tables):
        if stack < 0:
            raise IndexError(f"there is no row {stack}")
        counts[stack] += 1
        weights[stack] += weight
    return counts, weights


def _list_samples(tables: Tables) -> Iterator[tuple[int, int, float]]:
    """(place, stack, weight); samples without a stack are passed over, as in the Firefox
    Profiler."""
    weights = tables.weights if tables.weights is not None else [1] * len(tables.stacks)
    for place, (stack, weight) in enumerate(zip(tables.stacks, weights, strict=True)):
        if stack is not None and weight:
            yield place, stack, weight


def _to_ns(milliseconds: float) -> int:
    return min(max(round(milliseconds * _NS_A_MS), 0), 2**63 - 1)
