"""The extension as a file: which of a process's files are engines of other installations."""

from __future__ import annotations

import _ctypes
import shutil
from pathlib import Path

from harness.fake_proc import FakeProc
from stackglass.attach.library import find_library, iterate_other_libraries


def map_files(paths: list[Path]) -> str:
    starts = range(0x7F00_0000, 0x7FFF_0000, 0x1000)
    return "".join(
        f"{start:x}-{start + 0x1000:x} r-xp 00000000 fe:00 {path.stat().st_ino} {path}\n"
        for start, path in zip(starts, paths, strict=False)
    )


def test_an_extension_of_another_package_is_no_engine(tmp_path: Path) -> None:
    """Many packages call theirs ``_core``; the first of them must not be taken for an engine."""
    impostor = tmp_path / "_core.cpython-39-x86_64-linux-gnu.so"
    shutil.copy(_ctypes.__file__, impostor)
    text = tmp_path / "_core.txt"
    text.write_text("no library")
    engine = tmp_path / "_core.abi3.so"
    own = Path(find_library())
    shutil.copy(own, engine)
    fake = FakeProc(tmp_path / "proc")
    fake.add(42, maps=map_files([impostor, text, engine, own]))
    assert list(iterate_other_libraries(42, str(own), fake.proc)) == [str(engine)]
