"""A column that only grows: views keep their values."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.columns.growing_column import GrowingColumn


def test_a_view_stays_what_it_is_while_the_column_grows() -> None:
    column = GrowingColumn(np.int32)
    column.extend(np.arange(1000))
    before = column.view()
    column.extend(np.arange(5000))  # more than there is room for
    assert before.tolist() == list(range(1000))
    assert column.view()[1000:].tolist() == list(range(5000))
    with pytest.raises(ValueError, match="read-only"):
        before[0] = 1


def test_reserved_rows_count_once_they_are_filled() -> None:
    column = GrowingColumn(np.int64)
    column.reserve(2)[:2] = (7, 8)
    assert len(column.view()) == 0
    column.n_rows = 2
    assert column.view().tolist() == [7, 8]
