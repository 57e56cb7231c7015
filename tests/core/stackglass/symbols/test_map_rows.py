"""Memory maps of a process that has mapped files of unusual names."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stackglass.symbols.chosen_functions import _find_loaded
from stackglass.symbols.jit_objects import JitObjects
from stackglass.symbols.made_code import MadeCode
from stackglass.symbols.map_rows import read_map
from stackglass.symbols.process_libraries import list_libraries

NAMES = (b"a\rb", b"a\x0cb", b"\xff\xfe.bin", b"a\rz-1 x 3 4 5 y")


@pytest.fixture(params=NAMES)
def mapped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The path of a file that this process has mapped as code."""
    path = os.path.join(os.fsencode(tmp_path), request.param)
    Path(os.fsdecode(path)).write_bytes(bytes(mmap.PAGESIZE))
    with open(path, "rb") as file:
        memory = mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    yield os.fsdecode(path)
    memory.close()


def test_a_name_is_whole(mapped: str) -> None:
    assert [row[5] for row in read_map("self") if row[5:] == [mapped]] == [mapped]


def test_no_reader_of_the_map_fails(mapped: str) -> None:
    assert not MadeCode(os.getpid()).holds(1)
    assert JitObjects(os.getpid()).find(1) == ""
    assert _find_loaded("/no/such/lib.so", "") is None
    assert list_libraries(os.getpid())
    assert os.path.exists(mapped)
