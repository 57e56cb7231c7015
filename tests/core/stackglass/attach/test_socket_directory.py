"""The private directory: made, verified, cleaned."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from harness.recorder import CORE
from stackglass.attach import socket_directory
from stackglass.attach.errors import NotAllowedError
from stackglass.attach.socket_directory import (
    SocketDirectory,
    find_socket,
    list_folders,
    name_socket,
)
from stackglass.errors import AttachError


def test_it_is_the_users_alone(runtime: Path) -> None:
    with SocketDirectory(os.geteuid()) as directory:
        assert directory.root == str(runtime / "stackglass")
        found = os.stat(directory.root)
    assert stat.S_IMODE(found.st_mode) == 0o700
    assert found.st_uid == os.geteuid()


def test_what_is_there_takes_no_lock_of_the_folder(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All attaches of the machine would wait for it while another process removes a file there."""
    with SocketDirectory(os.geteuid()):
        assert (runtime / "stackglass").is_dir()

    def wait_for_lock(*_: object, **__: object) -> None:
        raise AssertionError("takes the lock")

    monkeypatch.setattr(os, "mkdir", wait_for_lock)
    monkeypatch.setattr(os, "unlink", wait_for_lock)
    with SocketDirectory(os.geteuid()) as directory:
        directory.remove_stale()
        directory.remove("1-2.py")


def test_one_that_others_can_enter_is_refused(runtime: Path) -> None:
    (runtime / "stackglass").mkdir(mode=0o755)
    (runtime / "stackglass").chmod(0o755)
    with pytest.raises(NotAllowedError, match="sudo rm -r"):
        SocketDirectory(os.geteuid())


def test_a_link_is_refused(runtime: Path) -> None:
    (runtime / "elsewhere").mkdir(mode=0o700)
    (runtime / "stackglass").symlink_to(runtime / "elsewhere")
    with pytest.raises(NotAllowedError, match="cannot be used"):
        SocketDirectory(os.geteuid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_one_of_somebody_else_is_refused(runtime: Path) -> None:
    (runtime / "stackglass").mkdir(mode=0o700)
    os.chown(runtime / "stackglass", 65534, 65534)
    with pytest.raises(NotAllowedError, match="owner"):
        SocketDirectory(os.geteuid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root attaches to others")
def test_roots_is_the_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_directory, "list_folders", lambda uid: [str(tmp_path / f"of-{uid}")])
    with SocketDirectory(65534) as directory:
        directory.write("1-2.py", b"content")
        assert os.stat(directory.root).st_uid == 65534
        assert os.stat(directory.path("1-2.py")).st_uid == 65534


def test_files_are_written_whole_and_removed(runtime: Path) -> None:
    with SocketDirectory(os.geteuid()) as directory:
        directory.write("1-2.py", b"old")
        directory.write("1-2.py", b"new")
        assert Path(directory.path("1-2.py")).read_bytes() == b"new"
        assert os.listdir(directory.root) == ["1-2.py"]
        directory.remove("1-2.py")
        directory.remove("1-2.py")
        assert not directory.holds("1-2.py")


def test_a_socket_that_is_bound_meanwhile_stays(runtime: Path) -> None:
    """Of two clients that find a stale socket, the faster one may have entered already."""
    with SocketDirectory(os.geteuid()) as directory:
        path = directory.path("1-2.sock")
        with socket.socket(socket.AF_UNIX) as engine:
            engine.bind(path)
            engine.listen()
            directory.remove_unbound("1-2.sock")
            assert directory.holds("1-2.sock")
        directory.remove_unbound("1-2.sock")
        directory.remove_unbound("1-2.sock")
        assert not directory.holds("1-2.sock")


def test_a_full_disk_is_an_error_of_the_attach(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with SocketDirectory(os.geteuid()) as directory:
        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(AttachError, match=r"cannot write .*/1-2\.py: No space left on device"):
            directory.write("1-2.py", b"content")
        assert os.listdir(directory.root) == []


def test_what_the_dead_left_is_removed(runtime: Path, tmp_path: Path) -> None:
    fake = FakeProc(tmp_path / "proc")
    fake.add(42, start=5000)
    with SocketDirectory(os.geteuid()) as directory:
        for name in ("42-5000.sock", "42-4999.sock", "43-1.sock", "43-1.py", "notes.txt"):
            directory.write(name, b"")
            os.utime(directory.path(name), (0, 0))
        directory.remove_stale(fake.proc)
        assert sorted(os.listdir(directory.root)) == ["42-5000.sock", "notes.txt"]


def test_what_may_belong_to_another_container_stays(runtime: Path, tmp_path: Path) -> None:
    """Containers that share the folder do not see each other's processes."""
    fake = FakeProc(tmp_path / "proc")
    with SocketDirectory(os.geteuid()) as directory:
        with socket.socket(socket.AF_UNIX) as engine:
            engine.bind(directory.path("7-100.sock"))
            directory.remove_stale(fake.proc)
            assert directory.holds("7-100.sock"), "it does not listen yet"
            engine.listen()
            engine.setblocking(False)
            directory.remove_stale(fake.proc)
            assert directory.holds("7-100.sock")
            with pytest.raises(BlockingIOError):
                engine.accept()  # the engine would leave with this client, if it was the first
        for name in ("8-100.py", "8-100.wanted"):
            directory.write(name, b"")
        directory.remove_stale(fake.proc)
        assert sorted(os.listdir(directory.root)) == ["8-100.py", "8-100.wanted"]


def test_to_remove_what_the_dead_left_loads_little() -> None:
    """To import the module socket takes as long as Python's start."""
    look = "import sys; from stackglass.attach.socket_directory import _is_bound; "
    code = f"{look}assert not _is_bound('/nowhere'); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-S", "-s", "-c", code],
        env={**os.environ, "PYTHONPATH": str(CORE)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "_socket" in loaded
    assert not {"socket", "enum", "selectors"}.intersection(loaded)


def test_places_are_short_enough_for_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/" + "x" * 90)
    uid = os.geteuid()
    assert list_folders(uid)[-1] == f"/tmp/stackglass-{uid}"
    for place in list_folders(uid):
        assert len(f"{place}/{name_socket(4194304, 2**64 - 1)}") <= 107


def test_an_engine_is_found_wherever_it_listens(runtime: Path, tmp_path: Path) -> None:
    fake = FakeProc(tmp_path / "proc")
    fake.add(42, start=5000)
    (tmp_path / "proc/42/net").mkdir()
    table = tmp_path / "proc/42/net/unix"
    head = "Num       RefCount Protocol Flags    Type St Inode Path\n"
    table.write_text(
        head + "0000: 00000002 00000000 00010000 0001 01 123 /odd place/42-5000.sock\n"
    )
    assert find_socket(42, 5000, 1000, fake.proc) == "/odd place/42-5000.sock"
    assert find_socket(42, 5001, 1000, fake.proc) is None
    (runtime / "stackglass").mkdir(mode=0o700)
    (runtime / "stackglass/42-5000.sock").touch()
    found = find_socket(42, 5000, os.geteuid(), fake.proc)
    assert found == str(runtime / "stackglass/42-5000.sock")


def test_line_ends_in_the_name_of_another_programs_socket(tmp_path: Path) -> None:
    """Any process can bind such a name, and all of its network namespace would find no engine."""
    fake = FakeProc(tmp_path)
    fake.add(42, start=5000)
    (tmp_path / "42/net").mkdir()
    row = "0000: 00000002 00000000 00010000 0001 01 123 "
    (tmp_path / "42/net/unix").write_text(f"{row}@a\n\nb\x0c\n{row}/x/42-5000.sock\n")
    assert find_socket(42, 5000, 1000, fake.proc) == "/x/42-5000.sock"


def test_one_that_cannot_be_made_says_what_to_do(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container with a root file system that is mounted read-only."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(NotAllowedError, match=r"cannot be made \(Read-only.*: set XDG_RUNTIME_DIR"):
        SocketDirectory(os.geteuid())
