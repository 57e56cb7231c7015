"""Writer of the text that pprof had before protobuf: heap, contention or count, by sample types.

::

    heap profile: 2: 4096 [3: 6144] @ heapprofile      --- contention:     work profile: total 3
    2: 4096 [3: 6144] @ 0x100011 0x100021              5000 1 @ 0x100011   3 @ 0x100011
    #	0x100010	app.load+0x0	app.py:12

Values are scaled already, so the header asks for no scaling. Addresses in rows are return
addresses: the location's address plus 1. If a location has no address, or shares it with another,
all addresses are made up.
Comments below a row name its functions, as Go's do, and its labels. pprof ignores comments and
shows addresses.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

import numpy as np

from stackglass.wire.legacy_cpu import ADDRESS_STEP, FIRST_ADDRESS
from stackglass_viewer.model.columns.index import Bools, Int64s, TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.numeric_labels import find_numeric
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.model.writers.line_table import list_lines

_IN_USE = ("objects", "space")
_HEAPS = (
    ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"),
    ("inuse_objects", "inuse_space"),
    _IN_USE,
)
_CONTENTION = ("contentions", "delay")
_MAX_ADDRESS = 2**64 - 1


def write_legacy_text(profile: Profile, sample_type: TypeId) -> bytes:
    """Return the file: all types of a heap or contention profile, else the counts of
    ``sample_type``. Raises ContentError for values that the format cannot hold."""
    names = tuple(kind.name for kind in profile.sample_types)
    if names in _HEAPS:
        lines = _write_heap(profile)
    elif names == _CONTENTION and profile.sample_types[1].unit == "nanoseconds":
        lines = _write_contention(profile)
    else:
        lines = _write_count(profile, sample_type)
    return "\n".join([*lines, ""]).encode(errors="replace")


def _write_heap(profile: Profile) -> Iterator[str]:
    values = profile.samples.values
    in_use = values[-2:]
    allocated = values[:2] if len(values) > 2 else np.zeros_like(in_use)
    if (allocated < 0).any():
        raise ContentError(
            "it has allocations below zero, which the text of heap profiles cannot hold",
            "write pprof or collapsed stacks",
        )
    for counts, sizes in (in_use, allocated):
        if ((counts == 0) & (sizes != 0)).any():
            raise ContentError(
                "it has bytes without objects, which the text of heap profiles cannot hold",
                "write pprof or collapsed stacks",
            )
    sums = [int(column.sum()) for column in (*in_use, *allocated)]
    if len(values) > 2 and sums[3] in (sums[1], 0):
        sums[3] = sums[1] + 1  # if equal, readers would take in-use values alone
    yield f"heap profile: {sums[0]}: {sums[1]} [{sums[2]}: {sums[3]}] @ heapprofile"
    columns = (column.tolist() for column in (*in_use, *allocated))
    rows = [f"{n}: {size} [{n_all}: {all_}]" for n, size, n_all, all_ in zip(*columns, strict=True)]
    yield from _write_rows(profile, rows, np.asarray(values.any(axis=0)))


def _write_contention(profile: Profile) -> Iterator[str]:
    values = _check(profile.samples.values)
    yield from ("--- contention:", "cycles/second=1000000000", "sampling period=1")
    rows = [f"{delay_ns} {n}" for n, delay_ns in values.T.tolist()]
    yield from _write_rows(profile, rows, np.asarray(values.any(axis=0)))


def _write_count(profile: Profile, sample_type: TypeId) -> Iterator[str]:
    kind = profile.sample_types[sample_type]
    if kind.unit not in ("count", ""):
        raise ContentError(
            f"there is no text format for {kind.name} in {kind.unit}",
            "choose a type that counts with --sample-index, or write pprof",
        )
    values = _check(profile.samples.values[sample_type])
    name = "_".join(make_printable(kind.name).split()) or "count"
    yield f"{name} profile: total {int(values.sum())}"
    yield from _write_rows(profile, list(map(str, values.tolist())), values != 0)


def _check(values: Int64s) -> Int64s:
    if (values < 0).any():
        raise ContentError(
            "it has values below zero, which text formats cannot hold",
            "write pprof or collapsed stacks",
        )
    return values


def _write_rows(profile: Profile, values: list[str], has_value: Bools) -> Iterator[str]:
    """Yield a row for each sample with a value, the comments below it, and the memory map."""
    locations = profile.locations
    addresses, are_own = _find_addresses(profile)
    comments = _describe_locations(profile, addresses)
    labels = _describe_labels(profile)
    start, stack = profile.samples.stack_start.tolist(), profile.samples.stack.tolist()
    for sample, text in enumerate(values):
        if not has_value[sample]:
            continue
        frames = stack[start[sample] : start[sample + 1]]
        returns = " ".join(f"{addresses[frame] + 1:#x}" for frame in frames)
        yield f"{text} @ {returns}".rstrip()
        if sample in labels:
            yield f"# labels: {json.dumps(labels[sample])}"
        for frame in frames:
            yield from comments[frame]
    if are_own and (locations.mapping >= 0).any():
        yield from _describe_mappings(profile)


def _find_addresses(profile: Profile) -> tuple[list[int], bool]:
    """Return the address of each location, and whether they are from the profile; otherwise all
    are made up."""
    own = profile.locations.address
    are_own = bool(own.all()) and len(np.unique(own)) == len(own) and int(own.max(initial=0)) > 0
    if are_own and int(own.max()) < _MAX_ADDRESS:
        return own.tolist(), True
    return [FIRST_ADDRESS + location * ADDRESS_STEP for location in range(len(own))], False


def _describe_locations(profile: Profile, addresses: list[int]) -> list[list[str]]:
    """Return the comments of each location, the innermost line first; none if the profile has no
    functions."""
    if not len(profile.functions.name):
        return [[] for _ in addresses]
    table = list_lines(profile)
    frames = table.frames
    names = [make_printable(name).strip() or "?" for name in frames.name]
    files = [make_printable(file) for file in frames.file]
    line = np.maximum(table.line, 0).tolist()
    frame, start = table.frame.tolist(), frames.line_start.tolist()
    return [
        [
            f"#\t{address:#x}\t{names[frame[row]]}+0x0\t{files[frame[row]]}:{line[row]}"
            for row in range(start[location], start[location + 1])
        ]
        for location, address in enumerate(addresses)
    ]


def _describe_labels(profile: Profile) -> dict[int, dict[str, str]]:
    """Return the labels by sample, as texts. If a key has texts and numbers, the texts count.
    Numbers are exact: ``512 bytes``; several values of a key as ``go tool pprof -raw`` prints them:
    ``[512 bytes 1024 bytes]``."""
    labels, strings = profile.labels, profile.strings
    columns = (labels.sample, labels.key, labels.text, labels.number, labels.unit)
    rows = (each[find_numeric(labels) | (labels.text >= 0)].tolist() for each in columns)
    texts: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    numbers: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for sample, key, text, number, unit in zip(*rows, strict=True):
        if text >= 0:
            texts[sample, strings[key]].append(strings[text])
        else:
            numbers[sample, strings[key]].append(f"{number} {strings[unit]}".rstrip())
    described: dict[int, dict[str, str]] = {}
    for (sample, name), each in chain(texts.items(), numbers.items()):
        joined = each[0] if len(each) == 1 else f"[{' '.join(each)}]"
        described.setdefault(sample, {}).setdefault(name, joined)
    return described


def _describe_mappings(profile: Profile) -> Iterator[str]:
    mappings = profile.mappings
    yield from ("", "--- Memory map: ---")
    columns = (each.tolist() for each in (mappings.start, mappings.limit, mappings.offset))
    names = (profile.strings[name] for name in mappings.filename.tolist())
    for start, limit, offset, name in zip(*columns, names, strict=True):
        if start < limit and name and not any(map(str.isspace, name)):
            yield f"{start:08x}-{limit:08x} r-xp {offset:08x} 00:00 0 {make_printable(name)}"
