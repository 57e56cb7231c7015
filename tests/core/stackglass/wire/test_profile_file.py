"""A name always means a whole file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stackglass.errors import OutputError
from stackglass.wire import profile_file


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(b"old")
    path.chmod(0o640)
    profile_file.write_file(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path], "nothing temporary is left"


def test_a_new_file_has_the_mode_that_any_other_has(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    profile_file.write_file(str(tmp_path / "mine"), b"")
    assert (tmp_path / "mine").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_the_old_file_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(b"old")

    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OutputError, match=r"cpu\.pb\.gz: No space left on device"):
        profile_file.write_file(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_may_be_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cpu.pb.gz"
    open_file = os.open

    def refuse(name: str, flags: int, *mode: int, **options: int) -> int:
        if flags & os.O_DIRECTORY:
            raise PermissionError(13, "Permission denied")
        return open_file(name, flags, *mode, **options)

    monkeypatch.setattr(os, "open", refuse)
    profile_file.write_file(str(path), b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("is_shown", [True, False])
def test_the_umask_is_read_without_opening_files_of_other_threads_to_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_shown: bool
) -> None:
    """A kernel before 4.7 does not show it."""
    masks: list[int] = []
    set_mask = os.umask

    def note(mask: int) -> int:
        masks.append(mask)
        return set_mask(mask)

    if not is_shown:
        monkeypatch.setattr(profile_file, "_STATUS", str(tmp_path / "no status"))
    before = os.umask(0o027)
    monkeypatch.setattr(os, "umask", note)
    profile_file.write_file(str(tmp_path / "cpu.pb.gz"), b"")
    monkeypatch.undo()
    os.umask(before)
    assert masks == ([] if is_shown else [0o077, 0o027])
    assert (tmp_path / "cpu.pb.gz").stat().st_mode & 0o777 == 0o640


def test_a_link_goes_on_pointing_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    profile_file.write_file(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to() -> None:
    profile_file.write_file(os.devnull, b"anything")
    assert not Path(os.devnull).is_file()


def test_what_cannot_be_written_is_known_beforehand(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        profile_file.check_writable(str(tmp_path))
    with pytest.raises(OutputError, match="there is no folder"):
        profile_file.check_writable(str(tmp_path / "no" / "cpu.pb.gz"))
    profile_file.check_writable(str(tmp_path / "cpu.pb.gz"))
    profile_file.check_writable(profile_file.STANDARD_OUTPUT)
