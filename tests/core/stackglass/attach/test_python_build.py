"""Versions as Python writes them."""

from __future__ import annotations

from typing import cast

import pytest

from harness.pythons import Python, find_pythons
from harness.targets import start_in_state
from stackglass.attach import python_build
from stackglass.attach.elf import Segment
from stackglass.attach.object_file import ObjectFile
from stackglass.attach.proc import PROC
from stackglass.attach.python_build import find_python, format_version


@pytest.mark.parametrize(
    ("number", "version"),
    [
        (0x030B07F0, "3.11.7"),
        (0x030D00F0, "3.13.0"),
        (0x030F00A1, "3.15.0a1"),
        (0x030E00B4, "3.14.0b4"),
        (0x030E00C2, "3.14.0rc2"),
    ],
)
def test_a_version_number_as_text(number: int, version: str) -> None:
    assert format_version(number) == version


@pytest.mark.parametrize("python", find_pythons().present, ids=lambda one: one.label)
def test_every_python_is_recognised(python: Python) -> None:
    with start_in_state(python, "sleep") as target:
        build = find_python(target.pid, PROC.read_maps(target.pid))
        assert build is not None
        assert build.version == python.version
        assert build.is_free_threaded == python.is_free_threaded
        assert build.has_debug_offsets == (python.minor >= 13)
        assert build.has_requests == (python.minor >= 14 and not python.is_free_threaded)


class FakeElf:
    """One piece of bytes for each segment, one behind the other."""

    def __init__(self, *parts: tuple[Segment, bytes]) -> None:
        self.segments = [segment for segment, _ in parts]
        self._bytes = b"".join(data for _, data in parts)

    def read_at(self, address: int, size: int) -> bytes:
        for segment in self.segments:
            inside = address - segment.address
            if 0 <= inside < segment.file_size:
                return self._bytes[address : address + min(size, segment.file_size - inside)]
        return b""


class FakeFile:
    """A library whose version is in no symbol."""

    size_bytes = 3

    def __init__(self, *parts: tuple[Segment, bytes]) -> None:
        self.elf = FakeElf(*parts)


def guess(name: str, *parts: tuple[bytes, bool, bool]) -> str:
    """The version that is found in segments of (bytes, executable, writable)."""
    segments, start = [], 0
    for data, is_executable, is_writable in parts:
        segment = Segment(start, start, len(data), is_executable, is_writable)
        segments.append((segment, data))
        start += len(data)
    file = cast("ObjectFile", FakeFile(*segments))
    return python_build._guess_version(file, name)[2]


def test_a_version_is_found_wherever_pieces_of_the_file_meet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(python_build, "_PIECE_BYTES", 32)
    for at in range(100):
        data = b"-" * at + b"3.9.18rc1\0" + b"-" * 40
        assert guess("libpython3.9.so.1.0", (data, False, False)) == "3.9.18rc1", at
        other = b"-" * at + b"13.9.18\0" + b"-" * 40
        assert guess("libpython3.9.so.1.0", (other, False, False)) == "3.9", at


def test_strings_are_looked_for_before_code() -> None:
    code, text, data = b"3.9.1\0", b"3.9.2\0", b"3.9.3\0"
    parts = [(data, False, True), (code, True, False), (text, False, False)]
    assert guess("libpython3.9.so.1.0", *parts) == "3.9.2"
    assert guess("libpython3.9.so.1.0", *parts[:2]) == "3.9.3"
    assert guess("libpython3.9.so.1.0", parts[1]) == "3.9.1"
