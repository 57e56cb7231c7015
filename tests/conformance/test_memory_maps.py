"""Memory maps, by the number of the checklist: as the kernel writes them, read by the part that
enters processes and by the part that reads old files."""

from __future__ import annotations

import pytest

from stackglass.attach.memory_map import Mapping, parse_maps
from stackglass_viewer.model.readers.process_maps import read_mappings

Code = list[tuple[int, int, int, str]]
"""Of what can be executed: start, end, offset and file."""

VECTORS: dict[str, tuple[str, Code, list[str]]] = {
    # name: lines, code, files as pprof has them (its pattern ends a name at a space)
    "plain": (
        "00400000-0040b000 r-xp 00000000 fc:01 787766   /bin/cat\n"
        "0060a000-0060b000 r--p 0000a000 fc:01 787766   /bin/cat\n"
        "0060b000-0060c000 rw-p 0000b000 fc:01 787766   /bin/cat\n"
        "014ab000-014cc000 rw-p 00000000 00:00 0        [heap]\n"
        "7f7d76af8000-7f7d7797c000 r--p 00000000 fc:01 1318064   /usr/lib/locale/locale-archive\n"
        "7f7d7797c000-7f7d77b36000 r-xp 00000000 fc:01 1180226   /lib/libc-2.19.so\n",
        [
            (0x400000, 0x40B000, 0, "/bin/cat"),
            (0x7F7D7797C000, 0x7F7D77B36000, 0, "/lib/libc-2.19.so"),
        ],
        ["/bin/cat", "/lib/libc-2.19.so"],
    ),
    "deleted": (
        "00400000-07000000 r-xp 00000000 fe:00 12   /opt/app/main (deleted)\n"
        "07000000-07093000 r--p 06c00000 fe:00 12   /opt/app/main (deleted)\n",
        [(0x400000, 0x7000000, 0, "/opt/app/main")],
        ["/opt/app/main"],
    ),
    "spaces": (
        "00400000-00500000 r-xp 00002000 fe:00 12   /opt/my app/the program\n"
        "00500000-00600000 r-xp 00000000 fe:00 13   /opt/my app/other (deleted) (deleted)\n",
        [
            (0x400000, 0x500000, 0x2000, "/opt/my app/the program"),
            (0x500000, 0x600000, 0, "/opt/my app/other (deleted)"),
        ],
        ["/opt/my"],
    ),
    "vdso": (
        "7ffc34343000-7ffc34345000 r-xp 00000000 00:00 0   [vdso]\n"
        "ffffffffff600000-ffffffffff601000 r-xp 00000090 00:00 0   [vsyscall]\n",
        [
            (0x7FFC34343000, 0x7FFC34345000, 0, "[vdso]"),
            (0xFFFFFFFFFF600000, 0xFFFFFFFFFF601000, 0x90, "[vsyscall]"),
        ],
        ["[vdso]", "[vsyscall]"],
    ),
    "anonymous": (
        "7f7d78000000-7f7d78010000 r-xp 00000000 00:00 0 \n"
        "7f7d78020000-7f7d78030000 rwxp 00000000 00:00 0\n"
        "c000000000-c000036000 rw-p 00000000 00:00 0 \n",
        [],
        ["", ""],
    ),
    "empty": ("", [], []),
}


def list_code(maps: list[Mapping]) -> Code:
    """Without what has neither file nor name."""
    return [
        (each.start, each.end, each.offset, each.path)
        for each in maps
        if each.is_executable and each.path
    ]


@pytest.mark.checklist(99)
@pytest.mark.parametrize("name", VECTORS)
def test_99_maps(name: str) -> None:
    """Checklist 99: files that were deleted, names with spaces, the vdso, anonymous memory."""
    text, code, files = VECTORS[name]
    maps = parse_maps(text)
    assert list_code(maps) == code
    assert len(maps) == len(text.splitlines())
    assert any(each.is_deleted for each in maps) == ("(deleted)" in text)
    assert [each.file for each in read_mappings(text.encode().splitlines())] == files
