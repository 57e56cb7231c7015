"""Names of frames in the comments below rows of addresses."""

from __future__ import annotations

from harness.counted_work import count_read_items
from stackglass_viewer.model.readers.row_names import RowNames


def test_a_deep_row_with_many_names() -> None:
    """A name does not search all calls of the row."""
    n = 5000
    addresses = [1 + number % 500 for number in range(n)]
    comments = [b"#\t%#x\tf+0x1\tapp.py:%d" % (1 + number, number) for number in range(500)]
    assert len(RowNames().locate(addresses, comments)) == n
    assert count_read_items(lambda: RowNames().locate(addresses, comments)) < 10 * n
