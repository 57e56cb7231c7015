"""Memory maps as the kernel writes them."""

from __future__ import annotations

import pytest

from stackglass.attach.memory_map import list_files, parse_maps

TEXT = """\
559d2a000000-559d2a021000 r--p 00000000 fe:00 11   /usr/bin/my program
559d2a021000-559d2a029000 r-xp 00021000 fe:00 11   /usr/bin/my program
559d2b000000-559d2b021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n\
7f0000200000-7f0000201000 r-xp 00001000 fe:00 22   /lib/libc.so.6 (deleted)
7f0000201000-7f0000202000 r--p 00000000 fe:00 22   /lib/libc.so.6 (deleted)
7f0000300000-7f0000301000 r--s 00000000 fe:00 33   /var/cache/data
7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]
"""


def test_a_line_becomes_a_value() -> None:
    program, _, heap, anonymous, libc, *_ = parse_maps(TEXT)
    assert (program.start, program.end) == (0x559D2A000000, 0x559D2A021000)
    assert (program.path, program.name, program.inode) == ("/usr/bin/my program", "my program", 11)
    assert not program.is_executable
    assert heap.path == "[heap]"
    assert (anonymous.path, anonymous.inode) == ("", 0)
    assert libc.is_deleted
    assert (libc.path, libc.offset, libc.is_executable) == ("/lib/libc.so.6", 0x1000, True)


def test_files_are_those_with_code_from_their_first_byte_on() -> None:
    files = list_files(parse_maps(TEXT))
    assert [(file.name, file.offset) for file in files] == [("my program", 0), ("libc.so.6", 0)]
    assert files[1].start == 0x7F0000201000


def test_an_empty_map_is_that_of_a_kernel_thread() -> None:
    assert parse_maps("") == []


def test_other_text_is_no_map() -> None:
    with pytest.raises(ValueError, match="not a line of a memory map"):
        parse_maps("hello\n")


@pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_a_newline_ends_a_line(mark: str) -> None:
    """A process may map a file of any name: other line ends are part of the path."""
    text = f"7f0000000000-7f0000001000 r-xp 00000000 fe:00 11   /tmp/a{mark}b\n"
    assert [mapping.path for mapping in parse_maps(text * 2)] == [f"/tmp/a{mark}b"] * 2
