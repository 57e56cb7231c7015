"""The binary CPU profile: checklist 32 and 33, and what its text says."""

from __future__ import annotations

import struct
from array import array

import pytest

from stackglass.wire import legacy_cpu
from stackglass.wire.pprof import ProfileTables, SampleType

PERIOD_100_HZ_NS = 10_000_000


def make_tables(counts: list[int]) -> ProfileTables:
    """main calls work: one stack of the two, and one of main alone."""
    return ProfileTables(
        strings=("", "main", "work", "prog.py"),
        function_name=[1, 2],
        function_system_name=[1, 2],
        function_filename=[3, 3],
        function_start_line=[1, 5],
        location_function=[0, 1],
        location_line=[3, 7],
        node_parent=array("I", [0, 0, 1]),
        node_location=array("I", [0, 0, 1]),
        sample_node=array("I", [2, 1]),
        sample_labels=array("I", [0, 0]),
        sample_values=(array("Q", counts), array("Q", [c * PERIOD_100_HZ_NS for c in counts])),
        label_sets=((),),
        sample_types=(SampleType("samples", "count"), SampleType("cpu", "nanoseconds")),
        default_type="cpu",
        period_type=SampleType("cpu", "nanoseconds"),
        period=PERIOD_100_HZ_NS,
        time_unix_ns=0,
        duration_ns=0,
        executable="/usr/bin/python3",
    )


def split(content: bytes) -> tuple[list[int], str]:
    binary, _, text = content.partition(b"00100000-")
    return list(struct.unpack(f"<{len(binary) // 8}Q", binary)), text.decode()


@pytest.mark.checklist(32)
def test_32_header_at_100_hz_is_five_words() -> None:
    words, _ = split(legacy_cpu.encode(make_tables([2, 3])))
    assert words[:5] == [0, 3, 0, 10_000, 0]


@pytest.mark.checklist(33)
def test_33_ends_with_the_mark_and_has_no_zero_count_before_it() -> None:
    words, _ = split(legacy_cpu.encode(make_tables([2, 0])))
    assert words[-3:] == [0, 1, 0]
    main = legacy_cpu.FIRST_ADDRESS
    work = main + legacy_cpu.ADDRESS_STEP
    assert words[5:-3] == [2, 2, work, main + 1]


def test_the_text_names_every_address() -> None:
    _, text = split(legacy_cpu.encode(make_tables([2, 3])))
    assert text.splitlines()[1:] == ["#\t0x100000\tmain\tprog.py:3", "#\t0x100010\twork\tprog.py:7"]


def test_the_interpreter_is_no_file_to_look_addresses_up_in() -> None:
    _, text = split(legacy_cpu.encode(make_tables([2, 3])))
    assert text.splitlines()[0].split()[-1] == "python3"


def test_a_profile_without_samples_is_header_and_end() -> None:
    words, _ = split(legacy_cpu.encode(make_tables([0, 0])))
    assert words == [0, 3, 0, 10_000, 0, 0, 1, 0]


def test_words_of_another_machine() -> None:
    content = legacy_cpu.encode(make_tables([2, 3]), word=">I")
    assert struct.unpack(">5I", content[:20]) == (0, 3, 0, 10_000, 0)


def test_a_name_with_line_breaks_stays_on_its_line() -> None:
    """Else readers would take its rest for a line of the memory map."""
    tables = make_tables([2, 3])._replace(strings=("", "main", "1 +\n2", "a = 1\nb = 2"))
    _, text = split(legacy_cpu.encode(tables))
    lines = text.splitlines()[1:]
    assert lines == ["#\t0x100000\tmain\ta = 1?b = 2:3", "#\t0x100010\t1 +?2\ta = 1?b = 2:7"]
