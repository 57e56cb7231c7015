"""Names of frames in the comments below rows of addresses."""

from __future__ import annotations

import time

from stackglass_viewer.model.readers.row_names import RowNames


def test_a_deep_row_with_many_names() -> None:
    addresses = [1 + number % 5000 for number in range(200_000)]
    comments = [b"#\t%#x\tf+0x1\tapp.py:%d" % (1 + number, number) for number in range(5000)]
    begin = time.process_time()
    calls = RowNames().locate(addresses, comments)
    assert time.process_time() - begin < 5  # a search of all calls for each name: half a minute
    assert len(calls) == len(addresses)
