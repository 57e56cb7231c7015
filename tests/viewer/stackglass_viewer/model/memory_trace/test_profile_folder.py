"""Which files of a folder are profiles."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace.profile_folder import list_profiles

STACKS = "main;load 30\nmain 4"


def test_the_content_decides_and_the_name_orders(tmp_path: Path) -> None:
    (tmp_path / "wall.pb.gz").write_bytes(encode_stacks(STACKS))
    (tmp_path / "cpu.odd").write_bytes(gzip.decompress(encode_stacks(STACKS)))
    (tmp_path / "text").write_text(STACKS, encoding="utf-8")
    (tmp_path / ".hidden.pb.gz").write_bytes(encode_stacks(STACKS))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "archive.tar.gz").write_bytes(gzip.compress(b"PK\x03\x04"))
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8bno")
    (tmp_path / "empty").touch()
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "cpu.pb.gz").write_bytes(encode_stacks(STACKS))
    names = [Path(path).name for path in list_profiles(tmp_path, 9)]
    assert names == ["cpu.odd", "text", "wall.pb.gz"]
    assert list_profiles(tmp_path, 1) == (str(tmp_path / "cpu.odd"),)


def test_a_folder_without_profiles_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(ContentError, match="no file in this folder is a profile"):
        list_profiles(tmp_path, 9)


def test_it_can_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(STACKS, encoding="utf-8")
    with pytest.raises(CancelledError):
        list_profiles(tmp_path, 9, lambda: True)
