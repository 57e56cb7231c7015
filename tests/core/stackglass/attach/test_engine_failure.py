"""Engine failure: an errno of the target as a cause. Failures of engines are in integration/."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from stackglass.attach import engine_failure
from stackglass.attach.elf import ElfError
from stackglass.attach.engine_failure import explain_error, find_failure
from stackglass.attach.memory_map import Mapping
from stackglass.attach.proc import Proc

LIMITS = "Limit                     Soft Limit           Hard Limit           Units     \n"


@pytest.mark.parametrize(
    ("limit", "cause"),
    [
        ("1073741824", "its address space is limited to 1073741824 bytes (RLIMIT_AS)"),
        ("unlimited", "the system gives it no more memory or mappings (Cannot allocate memory)"),
    ],
)
def test_memory_is_short_without_a_limit_of_the_process(
    tmp_path: Path, limit: str, cause: str
) -> None:
    (tmp_path / "42").mkdir()
    row = f"Max address space         {limit:<20} unlimited            bytes     \n"
    (tmp_path / "42/limits").write_text(LIMITS + row)
    assert explain_error(42, errno.ENOMEM, "", Proc(str(tmp_path))) == cause


MAPS = """\
7f0000200000-7f0000201000 r-xp 00000000 fe:00 22   /site/other/_core.abi3.so (deleted)
7f0000300000-7f0000301000 r-xp 00000000 fe:00 33   /merged/stackglass/_core.abi3.so
"""


def test_a_file_that_cannot_be_read_does_not_hide_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other packages call their libraries _core, too, and theirs may be replaced on the disk."""

    @contextlib.contextmanager
    def open_object(_pid: int, mapping: Mapping, _proc: Proc) -> Iterator[SimpleNamespace]:
        if mapping.is_deleted:
            raise ElfError("no ELF file")
        yield SimpleNamespace(find_address=lambda _name: 0x7F0000300100)

    (tmp_path / "42").mkdir()
    (tmp_path / "42/maps").write_text(MAPS)
    monkeypatch.setattr(engine_failure, "open_object", open_object)
    library = "/site/stackglass/_core.abi3.so"
    assert find_failure(42, library, Proc(str(tmp_path))) == 0x7F0000300100
