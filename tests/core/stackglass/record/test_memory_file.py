"""Memory file: what is left of it once the disk is full. Whole ones are in integration/."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stackglass.errors import OutputError
from stackglass.record.memory_file import MemoryFile
from stackglass.wire.messages import MemoryInfo


class FullDisk:
    def write(self, content: memoryview, /) -> int:
        raise OSError(28, "No space left on device")


def test_nothing_is_kept_once_the_disk_is_full(tmp_path: Path) -> None:
    path = tmp_path / "trace.sgm"
    with MemoryFile(str(path)) as file:
        file.add(b"frame", MemoryInfo(start_mono_ns=1))
        file.flush()
        whole = path.read_bytes()
        assert file._writer is not None
        file._writer._file = FullDisk()
        file.add(b"frame", None)
        with pytest.raises(OutputError, match="No space left on device"):
            file.flush()
        for _ in range(3):
            file.add(b"frame", None)
        assert file._early == [], "they would fill the recorder's memory"
        file.finish()
        assert not file.is_whole
    assert path.read_bytes() == whole


def test_a_device_is_not_flushed_to_a_disk() -> None:
    with MemoryFile("/dev/null") as file:
        file.add(b"frame", MemoryInfo(start_mono_ns=1))
        file.finish()
        assert file.is_whole


def test_standard_output_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OutputError, match="standard output is closed"):
        MemoryFile("-").add(b"frame", MemoryInfo(start_mono_ns=1))
