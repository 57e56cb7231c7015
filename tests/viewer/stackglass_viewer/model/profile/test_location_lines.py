"""Lines of locations."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.profile.location_lines import (
    count_lines,
    find_line_owners,
    keep_lines,
    spread_flags,
)
from stackglass_viewer.model.profile.profile import Locations


@pytest.fixture
def locations() -> Locations:
    """Three locations with 2, 0 and 3 lines."""
    n = 3
    return Locations(
        line_start=np.array([0, 2, 2, 5], dtype=np.int32),
        line_function=np.arange(5, dtype=np.int32),
        line_number=np.arange(10, 15),
        line_column=np.arange(20, 25),
        address=np.zeros(n, dtype=np.uint64),
        mapping=np.full(n, -1, dtype=np.int32),
        is_folded=np.zeros(n, dtype=np.bool_),
    )


def test_owners_flags_and_counts(locations: Locations) -> None:
    assert find_line_owners(locations).tolist() == [0, 0, 2, 2, 2]
    flags = np.array([True, True, False])
    assert spread_flags(flags, locations).tolist() == [True, True, False, False, False]
    lines = np.array([True, False, True, False, True])
    assert count_lines(lines, locations).tolist() == [1, 0, 2]


def test_locations_with_fewer_lines(locations: Locations) -> None:
    kept = keep_lines(locations, np.array([False, True, True, False, True]))
    assert kept.line_start.tolist() == [0, 1, 1, 3]
    assert kept.line_function.tolist() == [1, 2, 4]
    assert kept.line_number.tolist() == [11, 12, 14]
    assert kept.line_column.tolist() == [21, 22, 24]
    assert kept.address is locations.address
    with pytest.raises(ValueError, match="read-only"):
        kept.line_number[0] = 0
