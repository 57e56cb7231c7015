"""Object files that change while they are read."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.fresh_process import run_program
from native import _core_testing

TRUNCATED = """
import mmap, os, sys
from stackglass.attach.elf import ElfError
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import PROC

path = sys.argv[1]
with open(path, "r+b") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    [mapping] = [one for one in PROC.read_maps(os.getpid()) if one.path == path]
    with open_object(os.getpid(), mapping) as object_file:
        print(object_file.find_address("stackglass_enter") is not None)
        file.truncate(0)
        try:
            print(object_file.find_address("stackglass_enter"))
        except ElfError as error:
            print(error)
"""


def test_a_file_that_is_truncated_meanwhile_does_not_end_this_process(tmp_path: Path) -> None:
    """A read beyond the end of a mapped file ends the process that reads, by SIGBUS."""
    path = tmp_path / "library.so"
    shutil.copy(_core_testing.__file__, path)
    assert run_program(TRUNCATED, str(path)) == ["True", "the file is truncated"]
