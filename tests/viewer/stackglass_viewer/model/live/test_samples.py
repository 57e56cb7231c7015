"""Rows by age: folding sums, splits at whole seconds, and merges."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stackglass_viewer.model.live.samples import LiveSamples, SampleRows, fold, join, make_rows

ROW = st.tuples(
    *(st.integers(0, 3), st.integers(1, 2), st.integers(0, 1)),
    *(st.integers(0, 400), st.integers(0, 5), st.integers(0, 9)),
)


def make(rows: list[tuple[int, ...]]) -> SampleRows:
    return make_rows(*(list(column) for column in zip(*rows, strict=True)))


def test_rows_are_read_only_and_arrays_that_they_are_made_of_are_not() -> None:
    narrow = [np.ones(1, dtype=np.int32) for _ in range(4)]
    wide = [np.ones(1, dtype=np.int64) for _ in range(2)]
    rows = make_rows(*narrow, *wide)
    assert all(each.flags.writeable for each in narrow)
    assert all(each.flags.writeable for each in wide)
    assert not any(each.flags.writeable for each in rows.list_columns())


@settings(deadline=None)
@given(st.lists(ROW, min_size=1, max_size=40), st.sampled_from([1, 100, None]))
def test_folding_sums_and_keeps_apart(rows: list[tuple[int, ...]], unit: int | None) -> None:
    want: dict[tuple[int, ...], list[int]] = {}
    for node, tid, labels, time, count, cpu_ns in rows:
        bucket = time // unit * unit if unit else 0
        sums = want.setdefault((node, tid, labels, bucket), [0, 0])
        sums[0] += count
        sums[1] += cpu_ns
    folded = fold(make(rows), unit)
    columns = (folded.node, folded.tid, folded.labels, folded.time)
    keys = list(zip(*(column.tolist() for column in columns), strict=True))
    values = [[c, n] for c, n in zip(folded.count.tolist(), folded.cpu_ns.tolist(), strict=True)]
    assert dict(zip(keys, values, strict=True)) == want
    assert len(keys) == len(want)


def test_too_many_young_rows_are_folded_early() -> None:
    samples = LiveSamples()
    n = 700_000
    for second in range(4):
        time = np.full(n, second * 100, dtype=np.int32)
        ones = np.ones(n, dtype=np.int32)
        samples.add(make_rows(ones, ones, ones, time, ones, ones))
    assert samples.n_rows < 1_500_000
    assert join(samples.list_tables()).count.sum() == 4 * n


def test_rows_of_seconds_come_back_as_they_were_and_spans_find_them() -> None:
    """Old rows are packed: what they say is what plain folding says."""
    samples, parts = LiveSamples(), []
    for second in range(0, 600, 10):
        n = 50
        time = second * 100 + np.arange(n) * 7
        node, tid = np.arange(n) * 1000, 70_000 + np.arange(n) % 3
        ns = np.where(np.arange(n) % 10 == 0, 2**40, 10_000_000)
        parts.append(
            make_rows(
                *(column.astype(np.int64) for column in (node, tid, tid * 0, time)),
                np.ones(n, dtype=np.int64),
                ns,
            )
        )
        samples.add(parts[-1])
    fine_from = samples.ages.fine_from
    assert fine_from > 400 * 100
    whole = join(parts)
    expected = join(
        (fold(whole.choose(whole.time < fine_from), 100), whole.choose(whole.time >= fine_from))
    )

    def tell(rows: SampleRows) -> list[tuple[int, ...]]:
        return sorted(zip(*(column.tolist() for column in rows.list_columns()), strict=True))

    assert tell(join(samples.list_tables())) == tell(expected)
    first, last = 100 * 100, 110 * 100
    near = join(samples.list_tables().list_near(first, last))
    is_near = (near.time >= first) & (near.time <= last)
    is_meant = (expected.time >= first) & (expected.time <= last)
    assert tell(near.choose(is_near)) == tell(expected.choose(is_meant))
