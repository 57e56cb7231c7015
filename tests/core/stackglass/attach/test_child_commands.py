"""Children of multiprocessing by their program's command, as processes of a made-up /proc."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fake_proc import FakeProc, hide
from stackglass.attach.child_commands import find_role, read_command_line

PYTHON = "/usr/bin/python3"
APP = (PYTHON, "app.py", "8000")
SPAWNED = (
    *(PYTHON, "-c", "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=4)"),
    "--multiprocessing-fork",
)
SERVER = (PYTHON, "-c", "from multiprocessing.forkserver import main; main(3, 5, ['__main__'])")
TRACKER = (PYTHON, "-c", "from multiprocessing.resource_tracker import main;main(3)")


@pytest.fixture
def fake(tmp_path: Path) -> FakeProc:
    fake = FakeProc(tmp_path)
    fake.add(10, command=APP)
    return fake


def test_a_spawned_child_has_its_programs_command(fake: FakeProc) -> None:
    fake.add(11, parent=10, command=SPAWNED)
    fake.add(12, parent=11, command=SPAWNED)  # its own child
    for pid in (11, 12):
        command = read_command_line(pid, fake.proc)
        assert command == "/usr/bin/python3 app.py 8000 [multiprocessing child]"


def test_a_fork_server_differs_from_its_children(fake: FakeProc) -> None:
    fake.add(11, parent=10, command=SERVER)
    fake.add(12, parent=11, command=SERVER)
    server, child = (read_command_line(pid, fake.proc) for pid in (11, 12))
    assert server == "/usr/bin/python3 app.py 8000 [multiprocessing fork server]"
    assert child == "/usr/bin/python3 app.py 8000 [multiprocessing child]"


def test_a_tracker_is_called_so(fake: FakeProc) -> None:
    fake.add(11, parent=10, command=TRACKER)
    assert read_command_line(11, fake.proc).endswith(
        "app.py 8000 [multiprocessing resource tracker]"
    )


def test_who_adopts_an_orphan_is_not_its_program(fake: FakeProc) -> None:
    fake.add(1, command=("/sbin/init",), exe="/sbin/init")
    fake.add(11, parent=1, command=SPAWNED)
    fake.add(12, parent=9, command=SPAWNED)  # its parent has ended meanwhile
    for pid in (11, 12):
        assert read_command_line(pid, fake.proc) == "/usr/bin/python3 [multiprocessing child]"


def test_other_commands_are_as_they_are(fake: FakeProc) -> None:
    words = (PYTHON, "-c", "print('from multiprocessing.spawn import')\n", "two")
    fake.add(11, parent=10, command=words)
    expected = "/usr/bin/python3 -c print('from multiprocessing.spawn import') two"
    assert read_command_line(11, fake.proc) == expected
    assert read_command_line(10, fake.proc) == "/usr/bin/python3 app.py 8000"
    assert not find_role([PYTHON, "-c"])


def test_a_hidden_process_has_no_command(fake: FakeProc) -> None:
    assert read_command_line(10, hide(fake.proc, 10)) == ""
