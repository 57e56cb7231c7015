"""A command with our sitecustomize in front: what its first Python does, and what it sees."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.pythons import Python, Pythons
from stackglass.errors import StackglassError
from stackglass.record import child as child_module
from stackglass.record import signals
from stackglass.record.child import Child, ChildHello, Startup

ARGUMENTS = b"socket=/somewhere/{process}.sock\0hz=100\0\0"

BOOTSTRAP = """
class load:
    def __init__(self, library):
        self.library = library
    def enter(self, arguments):
        with open(self.library, "w") as file:
            file.write(repr(arguments))
        {enter}
    def begin_exempt(self):
        pass
    def end_exempt(self):
        with open(self.library, "a") as file:
            file.write(" disowned")
"""
ENTERED = BOOTSTRAP.format(enter="return 0")

LOOK = """
import json, os, signal, sys
print(json.dumps({
    "pythonpath": os.environ.get("PYTHONPATH"),
    "sys.path": sys.path,
    "cached": sorted(sys.path_importer_cache),
    "has_sitecustomize": "sitecustomize" in sys.modules,
    "modules": sorted(sys.modules),
    "blocked": sorted(int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])),
}), file=open(sys.argv[1], "w"))
"""


def wait_for_hello(child: Child) -> ChildHello | None:
    """What the first Python left, or None if the child ended without."""
    while child.is_running():
        hello = child.find_hello()
        if hello is not None:
            return hello
        time.sleep(0.001)
    return child.find_hello()


class Place:
    """Where a child's files go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen = folder / "seen.json"
        self.entered = folder / "entered"
        self.bootstrap = folder / "bootstrap.py"
        self.bootstrap.write_text(ENTERED)

    def run(self, *command: str) -> tuple[ChildHello | None, int]:
        """Run a command to its end; what it left, and its exit status."""
        with signals.block() as mask:
            child = Child(command, Startup(str(self.bootstrap), str(self.entered), ARGUMENTS), mask)
            hello = wait_for_hello(child)
            child.release()
            child.wait()
            assert not child.is_running()
            if hello is not None:
                assert hello.pid == child.pid or command[0] == "sh"
            status = child.reap()
            assert status is not None
            return hello, status

    def look(self, python: str, *flags: str) -> tuple[ChildHello | None, dict[str, object]]:
        """What a Python started that way sees of its world."""
        hello, status = self.run(python, *flags, "-c", LOOK, str(self.seen))
        assert status == 0
        found: dict[str, object] = json.loads(self.seen.read_text())
        return hello, found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    yield Place(tmp_path)
    assert not list((tmp_path / "temporary").iterdir()), "a private folder is left"


def test_every_python_enters_and_sees_nothing_of_it(place: Place, pythons: Pythons) -> None:
    for python in pythons.present:
        place.entered.unlink(missing_ok=True)
        check_python(place, python)


def check_python(place: Place, python: Python) -> None:
    hello, seen = place.look(python.executable)
    assert hello is not None, python.label
    assert hello.trouble == "", python.label
    entered = place.entered.read_text()
    assert f"/{hello.pid}-" in entered, python.label
    assert "{process}" not in entered
    subprocess.run([python.executable, "-c", LOOK, str(place.seen)], check=True)
    assert seen == json.loads(place.seen.read_text()), python.label


def test_the_programs_own_path_and_sitecustomize_are_its_own(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = place.folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import this_is_mine\n")
    (own / "this_is_mine.py").touch()
    monkeypatch.setenv("PYTHONPATH", f"{own}{os.pathsep}/elsewhere")
    hello, seen = place.look(sys.executable)
    assert hello is not None
    assert hello.trouble == ""
    assert seen["pythonpath"] == f"{own}{os.pathsep}/elsewhere"
    assert str(seen["sys.path"]).count("temporary") == 0
    assert "this_is_mine" in str(seen["modules"])


def test_only_the_first_python_brings_the_engine(place: Place) -> None:
    command = f"{sys.executable} -c 'import os; print(os.getpid())'"
    hello, status = place.run("sh", "-c", f"{command} > {place.folder}/first; {command} >&2")
    assert status == 0
    assert hello is not None
    assert hello.pid == int((place.folder / "first").read_text())


def test_an_engine_that_fails_costs_the_program_nothing(place: Place) -> None:
    place.bootstrap.write_text(BOOTSTRAP.format(enter="raise OSError('no room')"))
    hello, _ = place.look(sys.executable)
    assert hello is not None
    assert hello.trouble == "OSError: no room"
    place.bootstrap.write_text(BOOTSTRAP.format(enter="return -38"))
    hello, _ = place.look(sys.executable)
    assert hello is not None
    assert hello.trouble == "Function not implemented"


@pytest.mark.parametrize("flag", ["-S", "-I", "-E"])
def test_a_python_that_looks_for_nothing_never_says_hello(place: Place, flag: str) -> None:
    hello, _ = place.look(sys.executable, flag)
    assert hello is None


def test_signals_are_not_blocked_in_the_child(place: Place) -> None:
    _, seen = place.look(sys.executable)
    assert seen["blocked"] == []


def test_the_exit_status_is_the_commands(place: Place) -> None:
    assert place.run("sh", "-c", "exit 3") == (None, 3)
    assert place.run("sh", "-c", "kill -TERM $$") == (None, -signal.SIGTERM)


def test_no_such_command_is_an_error(place: Place) -> None:
    with pytest.raises(StackglassError, match="cannot start no-such-command: No such file"):
        place.run("no-such-command")
    n_open = len(os.listdir("/proc/self/fd"))
    startup = Startup(str(place.bootstrap), str(place.entered), ARGUMENTS)
    with pytest.raises(StackglassError), signals.block() as mask:
        Child(("no-such-command",), startup, mask, has_children=True)
    assert len(os.listdir("/proc/self/fd")) == n_open


def test_without_a_temporary_folder_the_error_says_what_to_do(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    with pytest.raises(StackglassError, match="set TMPDIR to a folder that you may write to"):
        place.run("true")


def test_a_start_that_is_withdrawn_is_taken_by_nobody(place: Place) -> None:
    with signals.block() as mask:
        command = ("sh", "-c", f"read line; exec {sys.executable} -c pass")
        read_end, write_end = os.pipe()
        stdin = os.dup(0)
        os.dup2(read_end, 0)
        try:
            child = Child(
                command, Startup(str(place.bootstrap), str(place.entered), ARGUMENTS), mask
            )
        finally:
            os.dup2(stdin, 0)
            os.close(stdin)
            os.close(read_end)
        assert child.withdraw_start()
        os.write(write_end, b"go\n")
        os.close(write_end)
        child.wait()
        assert child.find_hello() is None
        assert not child.withdraw_start()
        assert child.reap() == 0


def test_an_end_that_is_not_seen_is_an_end_of_unknown_status(place: Place) -> None:
    """Something else in the recorder's process may wait for all children."""
    with signals.block() as mask:
        child = Child(("true",), Startup(str(place.bootstrap), "", ARGUMENTS), mask)
        os.waitpid(child.pid, 0)
        assert not child.is_running()
        assert child.reap() is None


def test_where_the_end_of_children_is_ignored_the_status_is_known(place: Place) -> None:
    """The command still ignores it, as without the recorder."""
    program = "import signal; exit(7 if signal.getsignal(signal.SIGCHLD) == 1 else 1)"
    command = (sys.executable, "-I", "-c", program)
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with signals.block() as mask:
            child = Child(command, Startup(str(place.bootstrap), "", ARGUMENTS), mask)
            child.wait()
            os.kill(child.pid, signal.SIGTERM)  # it is not reaped yet
            assert child.reap() == 7
            assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_python_that_arrives_as_the_recorder_leaves_is_undisturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last reader closes the FIFO after a Python has opened it and before it writes."""
    path = Path(child_module.__file__).with_name("startup_payload.py")
    scope: dict[str, Any] = {"__name__": "sitecustomize"}
    exec(path.read_text(encoding="utf-8").partition("\n_run(")[0], scope)
    os.mkfifo(tmp_path / "arrivals")
    readers = [os.open(tmp_path / "arrivals", os.O_RDONLY | os.O_NONBLOCK)]
    write = os.write

    def leave(fifo: int, content: bytes) -> int:
        os.close(readers.pop())
        return write(fifo, content)

    monkeypatch.setattr(os, "write", leave)
    assert scope["_wake_recorder"](str(tmp_path))
    assert not readers
    assert not scope["_wake_recorder"](str(tmp_path))


def test_without_proc_a_python_counts_as_one_that_runs_the_programs_code() -> None:
    """No error may keep Python from importing the program's own sitecustomize."""
    path = Path(child_module.__file__).with_name("startup_payload.py")
    source, call, _ = path.read_text(encoding="utf-8").partition("\n_run(")
    assert call

    def refuse(*_: object) -> None:
        raise FileNotFoundError

    scope: dict[str, Any] = {"__name__": "sitecustomize", "open": refuse}
    exec(source, scope)
    assert scope["_is_helper"]() is False
