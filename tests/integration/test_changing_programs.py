"""Programs that execute another one, or set their user, in the middle of being entered."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.compiled import compile_program, find_compiler
from harness.injected import ENTERED, PATIENCE_S, enter, running
from harness.pythons import find_pythons
from harness.targets import start_in_state
from stackglass.attach import injection
from stackglass.attach.errors import ReplacedError

pytestmark = [
    pytest.mark.attach,
    pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler"),
]

PYTHONS = find_pythons().present

EXECUTING = """
import os, sys, threading, time

def execute():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.001)
    os.execv(sys.argv[2], sys.argv[2:])

threading.Thread(target=execute).start()
print("first", flush=True)
time.sleep(600)
"""


def test_another_program_in_the_middle_of_the_call(tmp_path: Path) -> None:
    """Another thread executes it: the one that makes the call ends, and the process goes on."""

    def execute() -> None:
        time.sleep(0.1)  # into the call, or on a busy machine before it
        (tmp_path / "go").touch()

    other = compile_program("vector_loop.c")
    python = PYTHONS[-1].executable
    with running(python, "-c", EXECUTING, str(tmp_path / "go"), other) as process:
        with pytest.raises(ReplacedError, match=r"beg[au]n another program"):
            enter(process.pid, "enter_and_wait", meanwhile=execute)
        assert process.stdout is not None
        assert process.stdout.readline()  # of the other program
        assert enter(process.pid).value == ENTERED


def test_another_program_before_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found in its map is not there any more: nothing is called."""
    find = injection._find_entrances

    def find_others(*words: Any) -> injection._Entrances | None:
        found = find(*words)
        return found and found._replace(system_call=found.dlopen)

    with start_in_state(PYTHONS[-1], "sleep") as target:
        monkeypatch.setattr(injection, "_find_entrances", find_others)
        with pytest.raises(ReplacedError, match="began another program"):
            enter(target.pid)
        monkeypatch.setattr(injection, "_find_entrances", find)
        assert enter(target.pid).value == ENTERED
        target.finish()


def test_another_thread_may_set_the_user_meanwhile() -> None:
    """It waits for the thread that makes the call, which waits for its lock."""
    with running(compile_program("changing_users.c")) as process:
        for _ in range(5):
            assert enter(process.pid).value == ENTERED
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE_S)[0]
        assert process.returncode == 0
    assert int(said.partition("=")[2]) > 0
