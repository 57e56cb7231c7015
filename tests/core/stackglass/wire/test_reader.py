"""Messages of an engine: read back, skipped, or refused; never a crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire_session import TextSample, WireSession, message, packed
from stackglass.errors import WireError
from stackglass.native import _core
from stackglass.wire import messages, reader, tags

SESSION = WireSession()
BATCH = SESSION.batch([TextSample("main;f", 2, 300), TextSample("main", tid=400)], {1: "Main"})
SAMPLES_OF_EVERY_KIND = [
    SESSION.hello(),
    SESSION.ready(),
    BATCH,
    SESSION.status(5, 6, 7, 8),
    message(tags.FromEngine.RATES, _core.encode_int(tags.Rates.CPU_HZ, 99)),
    message(tags.FromEngine.THREADS, packed(2, [1, 2]) + packed(3, [0, 1]) + packed(4, [0, 3])),
    SESSION.bye("target exits"),
]


def test_a_batch_is_read_back() -> None:
    batch = reader.decode(BATCH)
    assert isinstance(batch, messages.Batch)
    assert batch.strings == ["", "main", "main.py", "f", "f.py", "Main"]
    assert batch.function_name == [1, 3]
    assert batch.node_parent == [0, 0, 1]
    assert batch.node_location == [0, 0, 1]
    assert (batch.thread_tid, batch.thread_name) == ([1], [5])
    assert batch.sample_node == [2, 1]
    assert batch.sample_tid == [1, 400]
    assert batch.sample_cpu_ns == [300, 10_000_000]


def test_single_values_are_read_back() -> None:
    kinds = [reader.decode(content) for content in SAMPLES_OF_EVERY_KIND]
    hello, ready, _, status, rates, threads, bye = kinds
    assert hello == messages.Hello(tags.PROTOCOL_VERSION, "0.1.0", 7)
    assert isinstance(ready, messages.Ready)
    assert ready.argv == ["prog.py", "--loud"]
    assert ready.time_mono_ns == 10**9
    assert status == messages.Status(5, 100, 6, 7, 8)
    assert rates == messages.Rates(99)
    assert threads == messages.ThreadSnapshot(0, [1, 2], [0, 1], [0, 3])
    assert bye == messages.Bye("target exits")


def test_a_negative_time_is_negative() -> None:
    content = message(tags.FromEngine.THREADS, _core.encode_int(1, -5))
    assert reader.decode(content) == messages.ThreadSnapshot(-5, [], [], [])


def test_unknown_messages_and_fields_are_skipped() -> None:
    assert reader.decode(message(99, b"from the future")) is None
    assert reader.decode(b"") is None
    unknown = (
        _core.encode_int(90, 1)
        + _core.encode_bytes(91, b"x")
        + b"\xe5\x05abcd"  # 92, fixed32
        + b"\xe9\x05abcdefgh"  # 93, fixed64
    )
    content = message(tags.FromEngine.RATES, unknown + _core.encode_int(1, 5) + unknown)
    assert reader.decode(content) == messages.Rates(5)


def test_a_column_in_two_pieces_is_one() -> None:
    content = packed(2, [1]) + packed(2, [2]) + packed(3, [0, 0]) + packed(4, [0, 0])
    assert reader.decode(message(tags.FromEngine.THREADS, content)) == messages.ThreadSnapshot(
        0, [1, 2], [0, 0], [0, 0]
    )


@pytest.mark.checklist(26)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(_core.encode_int(tags.FromEngine.HELLO, 5), id="a message that is a number"),
        pytest.param(message(tags.FromEngine.RATES, b"\x0a\x01x"), id="text for a number"),
        pytest.param(message(tags.FromEngine.BYE, b"\x08\x01"), id="a number for text"),
        pytest.param(message(tags.FromEngine.RATES, b"\x0b"), id="a group"),
        pytest.param(message(tags.FromEngine.RATES, b"\x00\x01"), id="no field number"),
        pytest.param(message(tags.FromEngine.RATES, b"\x08" + b"\xff" * 9 + b"\x01"), id="u64"),
        pytest.param(message(tags.FromEngine.THREADS, packed(2, [1])), id="short column"),
        pytest.param(message(tags.FromEngine.BATCH, packed(20, [1])), id="short samples"),
        pytest.param(message(tags.FromEngine.BATCH, packed(12, [1])), id="short labels"),
        pytest.param(message(tags.FromEngine.BATCH, packed(8, [2**32])), id="33 bits"),
    ],
)
def test_what_does_not_fit_is_an_error(content: bytes) -> None:
    """Checklist 26."""
    with pytest.raises(WireError):
        reader.decode(content)


@pytest.mark.checklist(26)
@pytest.mark.parametrize("content", SAMPLES_OF_EVERY_KIND)
def test_a_message_cut_short_is_an_error(content: bytes) -> None:
    """Checklist 26."""
    for size in range(1, len(content)):
        with pytest.raises(WireError):
            reader.decode(content[:size])


@pytest.mark.checklist(26)
@given(
    st.sampled_from(SAMPLES_OF_EVERY_KIND),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), max_size=6),
    st.binary(max_size=20),
)
def test_damage_is_an_error_or_a_message(
    content: bytes, changes: list[tuple[int, int]], tail: bytes
) -> None:
    """Checklist 26."""
    damaged = bytearray(content)
    for at, byte in changes:
        damaged[at % len(damaged)] = byte
    try:
        found = reader.decode(bytes(damaged) + tail)
    except WireError:
        return
    assert found is None or isinstance(found, tuple)


@pytest.mark.checklist(26)
@given(st.binary(max_size=200))
def test_any_bytes_are_an_error_or_a_message(content: bytes) -> None:
    """Checklist 26."""
    for number in range(1, 8):
        try:
            found = reader.decode(message(number, content))
        except WireError:
            continue
        assert isinstance(found, tuple)
