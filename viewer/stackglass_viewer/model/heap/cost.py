"""Estimated cost of sampling the heap at some rate, from what the program allocates now.

An allocation of S bytes is sampled with probability 1 - e^(-S/rate); so the samples to come are
known for every rate from the allocations that any one rate has seen. The cost of one sample was
measured: ``tests/bench/heap_load.py`` prints the added CPU time and the samples; below are the
medians of its six programs (Python 3.13, x86-64). Deep stacks that change all the time cost up to
four times that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.snapshot import HeapMoment, value_buckets

ALLOCATION_NS = 0.7  # sampled or not: the hook's fast path
SAMPLE_NS = 300.0  # a stack walked, a bucket found, and later the free
SAMPLE_NS_AT_1 = 100.0  # successive stacks are nearly equal

_LEAST_SPAN_NS = 1_000_000_000  # a shorter span gives no estimate


@dataclass(frozen=True, slots=True)
class HeapCost:
    """The estimated cost of one rate."""

    rate: int  # bytes
    samples_hz: float  # samples per second
    cpu_share: float  # of one processor


def predict_costs(moment: HeapMoment, rates: Sequence[int]) -> tuple[HeapCost, ...]:
    """The costs by rate; () if nothing was sampled lately, or too little time has passed.

    ``moment`` counts allocations of a span.
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
