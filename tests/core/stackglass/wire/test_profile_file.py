"""A name always means a whole file."""

from __future__ import annotations

import io
import os
import sys
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


def test_a_file_system_without_modes_takes_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As FAT that root has mounted for everybody: all files are root's, so the mode cannot be
    changed. The end of a recording was no time to find that out."""

    def refuse(descriptor: int, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", refuse)
    profile_file.write_file(str(tmp_path / "cpu.pb.gz"), b"new")
    assert (tmp_path / "cpu.pb.gz").read_bytes() == b"new"


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


def test_standard_output_that_is_full_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(full)))
        with pytest.raises(OutputError, match="standard output: No space left on device"):
            profile_file.write_file("-", b"x" * 100_000)
        monkeypatch.setattr(sys, "stdout", None)
        with pytest.raises(OutputError, match="standard output: it is closed"):
            profile_file.write_file("-", b"x")


def test_a_device_or_a_pipe_in_a_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``/dev/null``, and ``>(command)`` of a shell, of a user other than root."""
    os.mkfifo(tmp_path / "pipe")
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not os.path.isdir(path) and real(path, mode)
    )
    profile_file.check_writable(os.devnull)
    profile_file.check_writable(str(tmp_path / "pipe"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match=f"cannot write {os.devnull}: no permission$"):
        profile_file.check_writable(os.devnull)


def test_an_empty_name_is_refused() -> None:
    """As of ``-o "$UNSET"``: after the recording it would be too late."""
    with pytest.raises(OutputError, match="without a name"):
        profile_file.check_writable("")


def test_the_folder_of_a_link_is_that_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "no" / "file")
    with pytest.raises(OutputError, match=f"there is no folder {tmp_path}/no$"):
        profile_file.check_writable(str(tmp_path / "link"))


def test_a_name_may_be_as_long_as_the_system_permits(tmp_path: Path) -> None:
    longest = tmp_path / ("é" * 127)
    profile_file.check_writable(str(longest))
    profile_file.write_file(str(longest), b"new")
    assert longest.read_bytes() == b"new"
    with pytest.raises(OutputError, match="File name too long"):
        profile_file.check_writable(str(tmp_path / ("n" * 256)))
