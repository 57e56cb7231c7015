"""Reader of the Firefox Profiler's JSON, as the profiler, samply and others write it, and of
Gecko's.

::

    stackTable   prefix: [null, 0, 1]   frame: [0, 1, 2]       each stack: its caller's, its frame
    frameTable   func: [0, 1, 1]        line: [12, null, 40]
    funcTable    name: [0, 1]           fileName: [2, null]    numbers of stringArray
    samples      stack: [2, 2, 1]       weight: null           of each thread

Each thread has its own tables; in later versions all threads share them. Gecko's own files have the
same tables as rows in place of columns, and frames as texts, ``main (app.js:12)``. Recordings of
the developer tools up to Firefox 97 have a Gecko profile within ``profile``.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.sample_times import TimedRows, repeat_number
from stackglass_viewer.model.readers.caller_paths import list_caller_paths
from stackglass_viewer.model.readers.firefox_tables import (
    FirefoxTables,
    has_columns,
    list_weight_types,
    open_gecko,
    open_processed,
)
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import Label, round_values
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_SAMPLES = SampleType("samples", "count")
_TIME = SampleType("time", "nanoseconds")
_BYTES = SampleType("space", "bytes")
_TYPES = {"samples": (_SAMPLES, _TIME), "tracing-ms": (_TIME,), "bytes": (_BYTES,)}
_NS_PER_MS = 1e6
_AT_A_TIME = 1 << 16  # samples in one step
_FIRST_START_MS = 1e11  # smaller start times are of a clock that starts with the machine


def read_firefox(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        document = open_document(content, progress).find_members()
        if "profile" in document and "threads" not in document:
            document = document["profile"].find_members()
        return _read(document)
    except DAMAGE as error:
        raise ContentError(explain_damage("a profile of the Firefox Profiler", error)) from None


def _read(document: dict[str, JsonPart]) -> Profile:
    meta = document["meta"].load()
    interval_ms = meta.get("interval") or 0
    is_processed = "preprocessedProfileVersion" in meta or has_columns(document)
    kinds = dict.fromkeys(list_weight_types(document) if is_processed else ("samples",))
    for kind in kinds:
        if kind not in _TYPES:
            raise ValueError(f"unknown type of weights {kind[:20]!r}")
    types = list(dict.fromkeys(each for kind in kinds for each in _TYPES[kind]))
    samples = FrameSamples()
    times_ms: list[float] = []
    for tables in open_processed(document) if is_processed else open_gecko(document):
        times_ms += [float(tables.times_ms.min()), float(tables.times_ms.max())]
        _add_thread(tables, samples, types, interval_ms)  # overwrites times_ms
    start_ms = meta.get("startTime") or 0
    product = str(meta.get("product") or "")
    return samples.build(
        types,
        duration_ns=_to_ns(max(times_ms) - min(times_ms)) if times_ms else 0,
        time_unix_ns=_to_ns(start_ms) if start_ms > _FIRST_START_MS else 0,
        comments=(product,) if product else (),
    )


def _add_thread(
    tables: FirefoxTables, samples: FrameSamples, types: list[SampleType], interval_ms: float
) -> None:
    labels = [Label("thread", tables.thread)] if tables.thread else []
    labels += [Label("process", tables.process)] if tables.process else []
    n_rows, n_stacks = len(tables.stacks), len(tables.callers)
    weights = tables.weights
    if weights is not None and len(weights) != n_rows:
        raise ValueError("it has more or fewer weights than samples")
    if int(tables.stacks.max()) >= n_stacks:
        raise IndexError(f"there is no row {tables.stacks.max()}")
    # Samples without a stack are skipped, as in the Firefox Profiler.
    is_counted = tables.stacks >= 0 if weights is None else (tables.stacks >= 0) & (weights != 0)
    rows: Int64s | slice = slice(None) if is_counted.all() else np.flatnonzero(is_counted)
    stacks = tables.stacks[rows]
    counts = np.bincount(stacks, minlength=n_stacks)
    sums = counts.astype(np.float64)
    if weights is not None:
        weights = weights[rows]
        sums[:] = np.bincount(stacks, weights=weights, minlength=n_stacks)
    used = np.flatnonzero(counts)
    sizes, nodes = list_caller_paths(tables.callers, used)
    frames, inverse = np.unique(tables.frames[nodes], return_inverse=True)
    first_frame = samples.n_frames
    for frame in frames.tolist():
        samples.add_frame(tables.describe_frame(frame))
    values = _list_values(tables.weight_type, types, sums[used], interval_ms)
    first = samples.add_many(values, sizes, (inverse + first_frame).astype(np.int32), labels)
    if len(tables.times_ms) != n_rows:
        return
    sample_of = np.zeros(n_stacks, dtype=np.int32)
    sample_of[used] = np.arange(first, first + len(used), dtype=np.int32)
    begin_ns = end_ns = _to_moments(tables.times_ms[rows])
    if weights is None:
        one = _list_values(tables.weight_type, types, np.ones(1), interval_ms)[0]
        columns = tuple(repeat_number(number, len(stacks)) for number in one.tolist())
    else:
        columns = tuple(_list_values(tables.weight_type, types, weights, interval_ms).T)
    if tables.weight_type == "tracing-ms":
        end_ns = np.maximum(begin_ns + columns[types.index(_TIME)], begin_ns)
    samples.add_timed_rows(TimedRows(sample_of[stacks], begin_ns, end_ns, columns))


def _to_moments(times_ms: Float64s) -> Int64s:
    """Convert times to ns in place, because another column would be as large as the file."""
    moments_ns = times_ms.view(np.int64)
    for first in range(0, len(times_ms), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        moments_ns[part] = round_values(times_ms[part], _NS_PER_MS)
    return moments_ns


def _list_values(
    weight_type: str, types: list[SampleType], weights: Float64s, interval_ms: float
) -> Int64s:
    """Return the (n, n_types) values that samples with these weights have."""
    values = np.zeros((len(weights), len(types)), dtype=np.int64)
    if weight_type == "bytes":
        values[:, types.index(_BYTES)] = round_values(weights)
    elif weight_type == "tracing-ms":
        values[:, types.index(_TIME)] = round_values(weights, _NS_PER_MS)
    else:
        values[:, types.index(_SAMPLES)] = round_values(weights)
        values[:, types.index(_TIME)] = round_values(weights, interval_ms * _NS_PER_MS)
    return values


def _to_ns(milliseconds: float) -> int:
    return min(max(round(milliseconds * _NS_PER_MS), 0), 2**63 - 1)
