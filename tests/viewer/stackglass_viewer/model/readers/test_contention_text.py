"""Errors of contention profiles as text; tests/contract compares their numbers with pprof's."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.contention_text import read_contention_text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"--- mutex:\ncycles/second=fast\n", "line 2 gives no number"),
        (b"--- mutex:\ncycles/second=%b\n" % (b"9" * 400), "line 2 gives no number"),
        (b"--- mutex:\nsampling period=%b\n" % (b"9" * 400), "line 2 gives no number"),
        (b"--- mutex:\n%b 1 @ 0x1\n" % (b"9" * 5000), "a number of 5000 digits"),
        (b"--- mutex:\nformat=java\n", "line 2 gives no number"),
        (b"--- mutex:\nresolution=7\n", "line 2 is not a sample"),
        (b"--- mutex:\ncycles/second=1\n7 1 @ 0x1\n7 1", "line 4 is not a sample"),
        (b"--- mutex:\nsampling period=9\n1 9999999999999999999 @ 0x1\n", "63 bits"),
        (b"--- mutex:\ncycles/second=1\n9999999999999999999 1 @ 0x1\n", "63 bits"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    with pytest.raises(ContentError, match=says):
        read_contention_text(text)


def test_a_profile_of_no_waits() -> None:
    profile = read_contention_text(b"--- contention:\ncycles/second=1000000000\n")
    assert profile.n_samples == 0
    assert [each.name for each in profile.sample_types] == ["contentions", "delay"]


def test_a_negative_duration_is_none() -> None:
    assert read_contention_text(b"--- mutex:\nms since reset=-5\n1 1 @ 0x1\n").duration_ns == 0
