"""Messages out of a stream, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass.errors import WireError
from stackglass.native import _core
from stackglass.wire.framing import FrameReader


@given(st.lists(st.binary(max_size=300)), st.integers(1, 50))
def test_messages_come_out_whole_and_in_order(contents: list[bytes], step: int) -> None:
    stream = b"".join(_core.encode_frame(content) for content in contents)
    reader = FrameReader()
    got = []
    for at in range(0, len(stream), step):
        got += reader.feed(stream[at : at + step])
    reader.finish()
    assert got == contents


@pytest.mark.parametrize("length", [b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x80\x01", b"\x65"])
def test_an_absurd_length_is_refused_before_anything_is_kept(length: bytes) -> None:
    with pytest.raises(WireError, match="claims more than 100 bytes"):
        FrameReader(max_bytes=100).feed(length)


def test_a_length_may_come_byte_by_byte() -> None:
    reader = FrameReader()
    assert reader.feed(b"\xac") == []
    assert reader.feed(b"\x02" + b"x" * 300) == [b"x" * 300]


def test_a_stream_that_ends_inside_a_message_is_an_error() -> None:
    reader = FrameReader()
    reader.feed(b"\x05abc")
    with pytest.raises(WireError, match="ended inside a message"):
        reader.finish()
