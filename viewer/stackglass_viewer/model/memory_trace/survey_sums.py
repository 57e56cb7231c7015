"""Sums of a survey: sites, lifetimes and rates, read from the counts of its replay."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.memory_trace.trace_index import (
    N_BINS,
    SITE_LIFETIMES_NS,
    Lifetimes,
    SiteSums,
    TypeRates,
)
from stackglass_viewer.native import _loops

_MOST_TYPES = 512


def read_sites(replay: _loops.Replay) -> SiteSums:
    """Return the allocations by site."""
    columns = replay.take_sites()
    classes = range(len(SITE_LIFETIMES_NS) + 1)
    n_dead, bytes_dead = (
        np.stack([_read_int64(columns[f"{what}_dead_{each}"]) for each in classes], axis=1)
        for what in ("n", "bytes")
    )
    freeze(n_dead, bytes_dead)
    return SiteSums(
        stack=np.asarray(columns["stack"]),
        type=np.asarray(columns["type"]),
        n=_read_int64(columns["n"]),
        size=_read_int64(columns["bytes"]),
        n_dead=n_dead,
        bytes_dead=bytes_dead,
    )


def read_lifetimes(replay: _loops.Replay) -> Lifetimes:
    """Return the freed blocks by lifetime."""
    columns, before = replay.take_lifetimes()
    return Lifetimes(_read_int64(columns["n"]), _read_int64(columns["bytes"]), *before)


def read_rates(replay: _loops.Replay, begin_ns: int, bin_ns: int) -> TypeRates:
    """Return the allocations by type and time. Only the largest types have rows of their own; the
    others are added to type 0, which means unknown."""
    columns = replay.take_rates()
    bins = np.asarray(columns["bin"])
    types, row = np.unique(np.asarray(columns["type"]), return_inverse=True)
    size_column, n_column = _read_int64(columns["bytes"]), _read_int64(columns["n"])
    order = np.argsort(-np.bincount(row, weights=size_column, minlength=len(types)), kind="stable")
    listed = types[order[:_MOST_TYPES]]
    if len(types) > len(listed) and 0 not in listed:
        listed[-1] = 0
    index_of = {int(type_id): index for index, type_id in enumerate(listed)}
    indices = [index_of.get(int(type_id), index_of.get(0, -1)) for type_id in types]
    index = np.array(indices, dtype=np.int64)
    n, size = (np.zeros((len(listed), N_BINS), dtype=np.int64) for _ in range(2))
    np.add.at(n, (index[row], bins), n_column)
    np.add.at(size, (index[row], bins), size_column)
    edges = begin_ns + bin_ns * np.arange(N_BINS + 1, dtype=np.int64)
    freeze(n, size, edges, listed)
    return TypeRates(edges, listed, n, size)


def _read_int64(column: _loops.Column) -> Int64s:
    return np.asarray(column)
