"""Integers of the wire: bounds, and agreement with the encoder."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from native import _core_testing as core
from stackglass.errors import WireError
from stackglass.wire.varint import read_packed, read_varint, to_signed

U64 = st.integers(0, 2**64 - 1)


@given(st.lists(U64, min_size=1))
def test_what_the_encoder_packs_is_read_back(values: list[int]) -> None:
    packed = core.encode_packed(1, array("Q", values).tobytes())
    _, size_at = read_varint(packed, 0)
    _, at = read_varint(packed, size_at)
    assert read_packed(packed[at:]) == values


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_signed_numbers_are_read_back(value: int) -> None:
    number, end = read_varint(core.encode_int(1, value), 1)
    assert to_signed(number) == value
    assert end == len(core.encode_int(1, value))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x80", id="cut off"),
        pytest.param(b"\xff" * 9 + b"\x02", id="65 bits"),
        pytest.param(b"\xff" * 10 + b"\x01", id="eleven bytes"),
        pytest.param(b"\xff" * 200, id="no end"),
    ],
)
def test_a_damaged_number_is_an_error(data: bytes) -> None:
    with pytest.raises(WireError):
        read_varint(data, 0)
    if data:
        with pytest.raises(WireError):
            read_packed(data)


@pytest.mark.checklist(26)
@given(st.binary())
def test_any_bytes_are_numbers_or_an_error(data: bytes) -> None:
    """Checklist 26."""
    try:
        values = read_packed(data)
    except WireError:
        return
    assert all(0 <= value < 2**64 for value in values)
