"""Event blocks of the memory trace: what a block says of its times, and where lanes are cut."""

from __future__ import annotations

import numpy as np
import pytest

from harness.event_blocks import encode_block
from native import _core_testing
from stackglass_viewer.native import _loops

OBJECT_ALLOC = 132


@pytest.mark.parametrize("is_timed", [False, True], ids=["stamps", "ticks"])
def test_a_block_has_events_of_the_times_that_it_says(is_timed: bool) -> None:
    """Times of threads' own lanes are in ticks of 16 ns; readers refuse a file whose blocks have
    events of other times than its index says."""
    times = [355_486_133, 355_486_140, 355_486_144, 355_486_165]
    lane = {"kind": [OBJECT_ALLOC] * 4, "time_ns": times, "address": [64, 128, 192, 256]}
    block = encode_block(lane, timed=[is_timed], base_ns=355_486_133)
    decoded = _loops.decode_event_block(block.payload, block.packing, block.raw_bytes)
    written = np.asarray(decoded["time_ns"])
    assert (block.first_ns, block.last_ns) == (int(written.min()), int(written.max()))
    assert (written >= times).all(), "an event is no earlier than the last one of the block before"
    assert (written - times < 16).all()


def test_a_lane_is_cut_where_a_buffer_is_full() -> None:
    """A thread goes on in another buffer while the lanes are read: what it writes there is later
    than the moment up to which all lanes are read."""
    n_taken, n_words = _core_testing.take_words_up_to_an_end()
    assert n_taken == n_words


def test_a_row_after_losses_ends_within_its_buffer() -> None:
    n_words = _core_testing.take_words_up_to_an_end()[1]
    n_marks = _core_testing.reserve_after_losses(1)
    assert _core_testing.reserve_after_losses(n_words - n_marks) == n_marks
    for n in range(n_words - n_marks + 1, n_words + 1):
        assert _core_testing.reserve_after_losses(n) == -1
