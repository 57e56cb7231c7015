"""The sections of the terminal summary."""

from __future__ import annotations

from stackglass.pytest_plugin.recorder import Measured
from stackglass.pytest_plugin.summary import format_sections

ROWS = [
    Measured("t::quick", 10_000_000, 0, 5 << 20, []),
    Measured("t::slow", 2_000_000_000, 1_500_000_000, 900, ["slow.cpu.pb.gz"], "no engine"),
    Measured("t::middle", 1_000_000_000, 0, -1, [], "no engine"),
]


def test_the_costly_ones_come_first() -> None:
    sections = dict(format_sections([row._asdict() for row in ROWS], "out", 2))
    assert sections == {
        "stackglass: slowest tests (files in out)": [
            " elapsed      CPU",
            "  2.00 s   1.50 s  t::slow  slow.cpu.pb.gz",
            "  1.00 s   0.00 s  t::middle",
        ],
        "stackglass: most allocating tests": ["    5.0 MiB  t::quick", "      900 B  t::slow"],
        "stackglass: not recorded": ["t::slow and 1 more: no engine"],
    }


def test_the_files_of_a_test_are_one_word_that_a_shell_expands() -> None:
    names = ["t.test_a.cpu.pb.gz", "t.test_a.heap.pb.gz", "t.test_a.block.pb.gz"]
    row = ROWS[1]._replace(files=names, problem="")
    ((_, lines), _) = format_sections([row._asdict()], "out", 0)
    assert lines[1].endswith("  t.test_a.{cpu,heap,block}.pb.gz")


def test_without_rows_nothing_is_listed() -> None:
    assert list(format_sections([], "out", 2)) == []
    ((_, lines),) = format_sections([ROWS[2]._replace(problem="")._asdict()], "out", 0)
    assert len(lines) == 2
