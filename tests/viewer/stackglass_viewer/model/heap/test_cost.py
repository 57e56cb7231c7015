"""What a rate would take, estimated from what another one has seen."""

from __future__ import annotations

import math

import pytest

from harness.heap_talk import HeapTalk
from stackglass_viewer.model.heap.cost import (
    ALLOCATION_NS,
    SAMPLE_NS,
    SAMPLE_NS_AT_1,
    HeapCost,
    predict_costs,
)

S = 1_000_000_000
RATES = (0, 1 << 20, 4096, 1)


def talk(*rows: tuple[int, int, int, int, int]) -> HeapTalk:
    """Twelve seconds of which only the last ten count."""
    reported = HeapTalk()
    reported.define((1, 1), (2, 1))
    reported.sums(1, (0, 10, 1_000_000, 0, 0))
    reported.sums(2)
    reported.sums(12, *rows)
    return reported


def predict(reported: HeapTalk) -> dict[int, HeapCost]:
    costs = predict_costs(reported.live.heap.capture(span_ns=10 * S), RATES)
    return {cost.rate: cost for cost in costs}


def test_samples_to_come_follow_from_sizes_and_rate() -> None:
    costs = predict(talk((0, 10_010, 1_000_000 + 640_000, 0, 0), (1, 50, 50 << 20, 50, 50 << 20)))
    assert costs[1].samples_hz == pytest.approx(1005)
    small, large = 10_000 * (1 - math.exp(-64 / 4096)), 50 * (1 - math.exp(-256))
    assert costs[4096].samples_hz == pytest.approx((small + large) / 10)
    assert costs[0] == HeapCost(0, 0.0, 0.0)
    assert costs[4096].cpu_share == pytest.approx(
        (1005 * ALLOCATION_NS + costs[4096].samples_hz * SAMPLE_NS) / 1e9
    )
    assert costs[1].cpu_share == pytest.approx(1005 * (ALLOCATION_NS + SAMPLE_NS_AT_1) / 1e9)


def test_nothing_is_said_where_nothing_was_seen() -> None:
    assert predict(talk()) == {}
    young = HeapTalk()
    young.define((1, 1))
    young.sums(1, (0, 10, 100, 0, 0))
    young.sums(1.5, (0, 20, 200, 0, 0))
    assert predict(young) == {}
