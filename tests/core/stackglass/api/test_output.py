"""Files that take less than they are given."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from stackglass.api import output
from stackglass.errors import OutputError

CONTENT = bytes(range(256)) * 3


class Dripping(io.RawIOBase):
    """A raw file that takes ten bytes at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.content = b""

    def write(self, content: bytes, /) -> int:  # type: ignore[override] # bytes are all it gets
        self.content += content[:10]
        return min(len(content), 10)


class Full(io.RawIOBase):
    """A raw file that would block."""

    def write(self, content: object, /) -> None:
        return None


class Plain:
    """An object with a write() that reports nothing."""

    def __init__(self) -> None:
        self.content = b""

    def write(self, content: bytes, /) -> None:
        self.content += content


def test_a_short_write_is_continued() -> None:
    file = Dripping()
    output.write(file, CONTENT)
    assert file.content == CONTENT


def test_an_object_that_reports_nothing_has_taken_everything() -> None:
    file = Plain()
    output.write(file, CONTENT)
    assert file.content == CONTENT


def test_a_file_that_takes_nothing_is_an_error() -> None:
    with pytest.raises(OutputError, match="accepted only 0 of 768 bytes"):
        output.write(Full(), CONTENT)


def test_a_raw_file_on_disk_holds_everything(tmp_path: Path) -> None:
    with open(tmp_path / "raw", "wb", buffering=0) as file:
        output.write(file, CONTENT)
    assert (tmp_path / "raw").read_bytes() == CONTENT


def test_a_path_means_the_same_place_after_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = output.settle("cpu.pb.gz")
    monkeypatch.chdir(os.sep)
    output.write(target, CONTENT)
    assert (tmp_path / "cpu.pb.gz").read_bytes() == CONTENT


@pytest.mark.parametrize("no_output", [None, 3, b"cpu.pb.gz"])
def test_what_is_no_output_is_refused_at_once(no_output: object) -> None:
    with pytest.raises(TypeError, match="a profile goes to a path or to an object with write"):
        output.settle(no_output)  # type: ignore[arg-type] # that is the mistake


def test_a_text_file_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"open its file in mode 'wb'.*sys\.stdout\.buffer"):
        output.settle(io.StringIO())  # type: ignore[arg-type] # that is the mistake
