"""Event blocks of the memory trace, made by the engine's encoder from columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from native import _core_testing

DTYPES: dict[str, type[np.generic]] = {
    "kind": np.uint8,
    "time_ns": np.int64,
    "tid": np.uint32,
    "address": np.uint64,
    "size": np.uint64,
    "stack": np.uint32,
    "type": np.uint32,
    "domain": np.uint8,
    "other": np.uint64,
}

Columns = Mapping[str, npt.ArrayLike]
"""Columns of events by the names in DTYPES; a missing column is all zeros."""


class EventBlock(NamedTuple):
    """An encoded event block, as in FromEngine.memory_events and in a chunk of a session file."""

    payload: bytes
    packing: int
    raw_bytes: int
    n_events: int
    first_ns: int
    last_ns: int


def encode_block(
    *lanes: Columns, timed: Sequence[bool] = (), base_ns: int | None = None
) -> EventBlock:
    """Encode a block of these lanes. ``timed``: whether each lane has a time for every event, in
    16 ns; otherwise times are exact. ``base_ns``: origin of times; by default the first time."""
    arrays = [_to_arrays(lane) for lane in lanes]
    times = np.concatenate([lane["time_ns"] for lane in arrays] or [np.empty(0, np.int64)])
    if base_ns is None:
        base_ns = int(times.min()) if len(times) else 0
    flags = [*timed, *[False] * (len(lanes) - len(timed))]
    payload, packing, raw_bytes, first_ns, last_ns = _core_testing.encode_event_block(
        base_ns, tuple(_to_bytes(flag, lane) for flag, lane in zip(flags, arrays, strict=True))
    )
    if not len(times):
        first_ns = last_ns = 0
    return EventBlock(payload, packing, raw_bytes, len(times), first_ns, last_ns)


def _to_arrays(lane: Columns) -> dict[str, npt.NDArray[np.generic]]:
    n = len(np.asarray(lane["kind"]))
    return {
        name: np.ascontiguousarray(np.asarray(lane[name], dtype))
        if name in lane
        else np.zeros(n, dtype)
        for name, dtype in DTYPES.items()
    }


def _to_bytes(
    is_timed: bool, lane: dict[str, npt.NDArray[np.generic]]
) -> tuple[bool, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
    kind, time, tid, address, size, stack, type_, domain, other = (
        lane[name].tobytes() for name in DTYPES
    )
    return is_timed, kind, time, tid, address, size, stack, type_, domain, other
