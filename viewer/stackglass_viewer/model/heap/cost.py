"""Cost of sampling the heap at other rates, estimated from the program's present allocations.

An allocation of S bytes is sampled with probability 1 - e^(-S/rate). So the allocations estimated
at one rate give the number of samples at every other rate. The cost of one sample was measured:
``tests/bench/heap_load.py`` prints the added CPU time and the samples; the constants below are the
medians of its six programs (Python 3.13, x86-64). Deep stacks that change all the time cost up to
four times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.snapshot import HeapMoment, value_buckets

ALLOCATION_NS = 0.7  # the hook's fast path, for every allocation
SAMPLE_NS = 300.0  # to walk the stack, find the bucket, and later record the free
SAMPLE_NS_AT_1 = 100.0  # at rate 1 successive stacks are nearly equal, which is cheaper

_LEAST_SPAN_NS = 1_000_000_000  # a shorter span gives no estimate


@dataclass(frozen=True, slots=True)
class HeapCost:
    """The estimated cost of one rate."""

    rate: int  # bytes
    samples_hz: float  # samples per second
    cpu_share: float  # of one processor


def predict_costs(moment: HeapMoment, rates: Sequence[int]) -> tuple[HeapCost, ...]:
    """Return the costs of ``rates``, in their order; () if the span of ``moment`` has no samples or
    is shorter than a second.

    ``moment`` must count the allocations of a recent span.
    """
    values = value_buckets(moment).columns
    objects = values[HeapColumn.ALLOC_OBJECTS]
    is_there = objects > 0
    if moment.span_ns < _LEAST_SPAN_NS or not is_there.any():
        return ()
    objects = objects[is_there].astype(np.float64)
    sizes = values[HeapColumn.ALLOC_SPACE][is_there] / objects
    seconds = moment.span_ns / 1e9
    costs = []
    for rate in rates:
        chance = 1.0 if rate == 1 else -np.expm1(-sizes / rate) if rate else 0.0
        samples_hz = float((objects * chance).sum()) / seconds
        sample_ns = SAMPLE_NS_AT_1 if rate == 1 else SAMPLE_NS
        allocations_ns = float(objects.sum()) / seconds * ALLOCATION_NS if rate else 0.0
        costs.append(HeapCost(rate, samples_hz, (allocations_ns + samples_hz * sample_ns) / 1e9))
    return tuple(costs)
