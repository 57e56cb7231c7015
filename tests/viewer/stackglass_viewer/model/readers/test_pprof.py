"""pprof's reader beside protobuf's own, which is the judge of what a file says."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.pprof import read_pprof


def go_on(_share: float) -> bool:
    return True


def make_message() -> Message:
    """One of everything."""
    message = Message(string_table=["", "cpu", "nanoseconds", "main", "main.py", "/bin/x", "id"])
    message.string_table.extend(["key", "text", "unit", "a comment", "https://example.org", "b"])
    message.sample_type.add(type=1, unit=2)
    message.sample_type.add(type=3, unit=2)
    message.mapping.add(
        id=1 << 60, memory_start=16, memory_limit=32, file_offset=8, filename=5, build_id=6
    ).has_functions = True
    message.function.add(id=1 << 63, name=3, system_name=12, filename=4, start_line=7)
    message.function.add(id=2, name=12)
    location = message.location.add(id=(1 << 64) - 1, mapping_id=1 << 60, address=(1 << 64) - 2)
    location.line.add(function_id=1 << 63, line=9, column=4)
    location.line.add(function_id=2, line=-1)
    message.location.add(id=5, is_folded=True)
    sample = message.sample.add(location_id=[(1 << 64) - 1, 5], value=[-3, 1 << 62])
    sample.label.add(key=7, str=8)
    sample.label.add(key=7, num=-5, num_unit=9)
    message.sample.add(value=[0, 1])
    message.period_type.type, message.period_type.unit = 1, 2
    message.period, message.time_nanos, message.duration_nanos = 10, 1 << 60, 5
    message.comment.extend([10, 0])
    message.doc_url, message.default_sample_type = 11, 1
    return message


def check(message: Message, profile: Profile) -> None:
    """All that the message has is in the profile."""
    strings = list(message.string_table)
    assert list(profile.strings) == strings
    functions = {each.id: i for i, each in enumerate(message.function)}
    mappings = {each.id: i for i, each in enumerate(message.mapping)}
    locations = {each.id: i for i, each in enumerate(message.location)}
    for name in ("name", "system_name", "filename", "start_line"):
        want = [getattr(each, name) for each in message.function]
        assert getattr(profile.functions, name).tolist() == want
    assert profile.mappings.filename.tolist() == [each.filename for each in message.mapping]
    assert profile.mappings.build_id.tolist() == [each.build_id for each in message.mapping]
    assert profile.mappings.start.tolist() == [each.memory_start for each in message.mapping]
    assert profile.mappings.limit.tolist() == [each.memory_limit for each in message.mapping]
    assert profile.mappings.offset.tolist() == [each.file_offset for each in message.mapping]
    lines = [line for location in message.location for line in location.line]
    table = profile.locations
    assert np.diff(table.line_start).tolist() == [len(each.line) for each in message.location]
    assert table.line_function.tolist() == [functions.get(line.function_id, -1) for line in lines]
    assert table.line_number.tolist() == [line.line for line in lines]
    assert table.line_column.tolist() == [line.column for line in lines]
    assert table.address.tolist() == [each.address for each in message.location]
    assert table.is_folded.tolist() == [each.is_folded for each in message.location]
    assert table.mapping.tolist() == [mappings.get(e.mapping_id, -1) for e in message.location]
    stacks = [locations[id_] for sample in message.sample for id_ in sample.location_id]
    assert profile.samples.stack.tolist() == stacks
    sizes = [len(sample.location_id) for sample in message.sample]
    assert np.diff(profile.samples.stack_start).tolist() == sizes
    assert profile.samples.values.T.tolist() == [list(each.value) for each in message.sample]
    labels = [
        (i, label.key, label.str or -1, 0 if label.str else label.num, label.num_unit)
        for i, sample in enumerate(message.sample)
        for label in sample.label
    ]
    columns = (getattr(profile.labels, n) for n in ("sample", "key", "text", "number", "unit"))
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == labels
    types = [(strings[each.type], strings[each.unit]) for each in message.sample_type]
    assert [(each.name, each.unit) for each in profile.sample_types] == types
    assert (profile.time_unix_ns, profile.duration_ns) == (
        message.time_nanos,
        message.duration_nanos,
    )
    assert profile.period == message.period
    assert list(profile.comments) == [strings[each] for each in message.comment]
    assert profile.doc_url == strings[message.doc_url]


def test_every_field_is_read() -> None:
    message = make_message()
    profile = read_pprof(message.SerializeToString(), go_on)
    check(message, profile)
    assert profile.default_type == 0
    assert profile.period_type is not None
    assert profile.period_type.name == "cpu"
    assert profile.mappings.flags.tolist() == [1]


def make_large_message() -> Message:
    """Over 7.5 MB of samples: several threads decode them."""
    message = make_message()
    ids = [each.id for each in message.location]
    for i in range(700):
        sample = message.sample.add(location_id=[*ids * 1000, *ids[: i % 3]], value=[i, -i])
        for label in range(i % 5):
            sample.label.add(key=7, num=label, num_unit=9 * (label % 2))
        sample.label.add(key=7, str=8)
    assert message.ByteSize() > 7_500_000
    return message


def test_parts_that_threads_decode_are_one_profile() -> None:
    message = make_large_message()
    check(message, read_pprof(message.SerializeToString(), go_on))


def test_of_damaged_parts_the_first_is_told() -> None:
    message = make_large_message()
    message.sample[600].location_id[7] = 77
    with pytest.raises(ContentError, match="a sample refers to an undefined location"):
        read_pprof(message.SerializeToString(), go_on)
    message.sample[100].label.add(key=9999)
    for _ in range(10):
        with pytest.raises(ContentError, match="a label refers to an undefined string"):
            read_pprof(message.SerializeToString(), go_on)


@pytest.mark.parametrize(
    "name", ["drop_frames", "keep_frames", "default_sample_type", "doc_url", "comment"]
)
@pytest.mark.parametrize("number", [-1, 13, 2**63 - 1])
def test_an_undefined_string_of_the_whole_profile_is_refused(name: str, number: int) -> None:
    message = make_message()
    if name == "comment":
        message.comment.append(number)
    else:
        setattr(message, name, number)
    with pytest.raises(ContentError, match="it refers to an undefined string"):
        read_pprof(message.SerializeToString(), go_on)


def test_arrays_are_read_only() -> None:
    profile = read_pprof(make_message().SerializeToString(), go_on)
    for part in (profile.samples, profile.locations, profile.functions, profile.labels):
        for name in part.__slots__:
            assert not getattr(part, name).flags.writeable


def test_unpacked_numbers_are_read_like_packed_ones() -> None:
    head = Message(string_table=["", "n", "count"])
    head.sample_type.add(type=1, unit=2)
    head.location.add(id=1)
    head.location.add(id=2)
    sample = bytes([8, 1, 10, 2, 2, 1, 8, 2, 16, 5])  # location 1, [2, 1], 2; value 5
    content = head.SerializeToString() + bytes([18, len(sample)]) + sample
    profile = read_pprof(content, go_on)
    assert profile.samples.stack.tolist() == [0, 1, 0, 1]
    assert profile.samples.values.tolist() == [[5]]


def test_fields_in_any_order_and_unknown_ones() -> None:
    message = make_message()
    parts = [message.SerializeToString()]
    samples = Message()
    samples.sample.extend(message.sample)
    rest = Message()
    rest.CopyFrom(message)
    del rest.sample[:]
    unknown = bytes([0xA2, 6, 3, 1, 2, 3]) + bytes([0xA5, 6]) + struct.pack("<I", 7)
    parts = [samples.SerializeToString(), unknown, rest.SerializeToString()]
    check(message, read_pprof(b"".join(parts), go_on))


def test_a_string_that_is_no_utf8_is_replaced() -> None:
    content = make_message().SerializeToString() + bytes([50, 2, 0xFF, 65])
    assert read_pprof(content, go_on).strings[-1] == "\ufffdA"


def spoil(change: Callable[[Message], object]) -> bytes:
    message = make_message()
    change(message)
    return message.SerializeToString()


BAD = {
    "twice the same function": spoil(lambda m: m.function.add(id=2)),
    "a location with id 0": spoil(lambda m: m.location.add(id=0)),
    "a sample of an unknown location": spoil(
        lambda m: m.sample.add(location_id=[77], value=[1, 2])
    ),
    "too few values": spoil(lambda m: m.sample.add(value=[1])),
    "too many values": spoil(lambda m: m.sample.add(value=[1, 2, 3])),
    "a string out of range": spoil(lambda m: m.function.add(id=3, name=99)),
    "a negative string": spoil(lambda m: m.function.add(id=3, name=-1)),
    "a label out of range": spoil(lambda m: m.sample[0].label.add(key=99)),
    "a default out of range": spoil(lambda m: setattr(m, "default_sample_type", 99)),
    "no sample types": spoil(lambda m: m.ClearField("sample_type")),
    "a first string": spoil(lambda m: m.string_table.__setitem__(0, "x")),
}


@pytest.mark.checklist(97)
@pytest.mark.parametrize("content", BAD.values(), ids=BAD.keys())
def test_damage_is_one_line(content: bytes) -> None:
    """Checklist 97."""
    with pytest.raises(ContentError) as caught:
        read_pprof(content, go_on)
    assert "\n" not in str(caught.value)


def test_many_types_times_many_samples_take_no_memory() -> None:
    message = Message(string_table=["", "n"])
    for _ in range(9_000):
        message.sample_type.add(type=1)
    content = message.SerializeToString()
    with pytest.raises(ContentError, match="values"):
        read_pprof(content + b"\x12\x00" * 2_000_000, go_on)
    with pytest.raises(ContentError, match="too many sample types"):
        read_pprof(content + b"\x0a\x00" * 2_000, go_on)


def test_strings_that_nothing_refers_to_are_left_out() -> None:
    """Where they are many; what refers to others finds the same."""
    message = make_message()
    plain = read_pprof(message.SerializeToString(), go_on)
    n = len(message.string_table)
    message.string_table.extend(["unused"] * 200_000)
    message.string_table.append("the last")
    message.comment.append(n + 200_000)
    crowded = read_pprof(message.SerializeToString(), go_on)
    assert len(crowded.strings) <= len(plain.strings) + 1
    assert crowded.comments == (*plain.comments, "the last")
    assert crowded.sample_types == plain.sample_types
    for profile in (plain, crowded):
        assert profile.strings[0] == ""
    for table in ("functions", "mappings", "labels"):
        for name in ("name", "system_name", "filename", "build_id", "key", "text", "unit"):
            found = getattr(getattr(crowded, table), name, np.empty(0, np.int32)).tolist()
            theirs = getattr(getattr(plain, table), name, np.empty(0, np.int32)).tolist()
            assert [crowded.strings[i] if i >= 0 else None for i in found] == [
                plain.strings[i] if i >= 0 else None for i in theirs
            ]


def test_too_many_comments_are_a_warning() -> None:
    content = make_message().SerializeToString() + b"\x68\x01" * 20_000
    profile = read_pprof(content, go_on)
    assert len(profile.comments) == 10_000
    assert "comments are read" in profile.warnings[0]


@pytest.mark.parametrize("keep", range(0, 200, 7))
def test_truncation_is_noticed_or_harmless(keep: int) -> None:
    content = make_message().SerializeToString()
    with contextlib.suppress(ContentError):
        read_pprof(content[: len(content) * keep // 200], go_on)


def test_where_it_is_cut_is_said() -> None:
    content = make_message().SerializeToString()
    at = len(content)
    cut = content + b"\x32\x09name"  # a string of 9 bytes, of which 4 are there
    with pytest.raises(ContentError) as caught:
        read_pprof(cut, go_on)
    assert caught.value.message == (
        f"it is truncated or damaged: its field at byte {at} of {len(cut)} cannot be read"
    )


def test_whoever_does_not_want_it_any_more_is_heard() -> None:
    with pytest.raises(CancelledError):
        read_pprof(make_message().SerializeToString(), lambda _share: False)


def test_an_error_of_the_callers_comes_through() -> None:
    def fail(_share: float) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        read_pprof(make_message().SerializeToString(), fail)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_byte_can_break_it(data: st.DataObject) -> None:
    content = bytearray(make_message().SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    try:
        profile = read_pprof(bytes(content), go_on)
    except ContentError:
        return
    n = len(profile.strings)
    assert all(0 <= name < n for name in profile.functions.name.tolist())
    assert all(0 <= each < len(profile.locations.address) for each in profile.samples.stack)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_at_all_can_break_it(content: bytes) -> None:
    with contextlib.suppress(ContentError):
        read_pprof(content, go_on)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_whatever_protobuf_writes_is_read(data: st.DataObject) -> None:
    message = Message(string_table=["", "a", "b", "c"])
    strings = st.integers(0, 3)
    numbers = st.integers(-(1 << 63), (1 << 63) - 1)
    ids = st.lists(st.integers(1, (1 << 64) - 1), min_size=1, max_size=6, unique=True)
    for _ in range(data.draw(st.integers(1, 3))):
        message.sample_type.add(type=data.draw(strings), unit=data.draw(strings))
    functions, locations = data.draw(ids), data.draw(ids)
    for id_ in functions:
        message.function.add(id=id_, name=data.draw(strings), start_line=data.draw(numbers))
    for id_ in locations:
        location = message.location.add(id=id_)
        for function in data.draw(st.lists(st.sampled_from(functions), max_size=3)):
            location.line.add(function_id=function, line=data.draw(numbers))
    for stack in data.draw(st.lists(st.lists(st.sampled_from(locations), max_size=5), max_size=5)):
        n = len(message.sample_type)
        values = data.draw(st.lists(numbers, min_size=n, max_size=n))
        sample = message.sample.add(location_id=stack, value=values)
        if data.draw(st.booleans()):
            sample.label.add(key=data.draw(strings), num=data.draw(numbers))
    check(message, read_pprof(message.SerializeToString(), go_on))
