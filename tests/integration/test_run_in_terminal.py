"""Recorded programs in the foreground of a terminal: Ctrl+C, as a user types it."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from harness.foreground import CTRL_C, Foreground
from harness.recorder import run_command
from harness.saved_profile import SavedProfile

pytestmark = pytest.mark.attach

BEGIN = """
import os, signal, sys, time
def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        sum(range(1000))
def wait(word):
    burn(0.1)
    print(word, flush=True)
    for _ in range(1200):  # Python handles a signal that comes just before a sleep after it
        time.sleep(0.05)
"""
PROGRAMS = {
    "no handler": "wait('begun')\n",
    "tidies up": """
try:
    wait('begun')
except KeyboardInterrupt:
    burn(0.3)
    print('tidied up')
    sys.exit(3)
""",
    "is interrupted as it tidies up": """
try:
    wait('begun')
finally:
    wait('tidying')
""",
    "goes on": """
signal.signal(signal.SIGINT, signal.SIG_IGN)
burn(0.1)
print('begun', flush=True)
print('goes on', input())
""",
    "handler": """
handled = []
def handle(*_):
    burn(0.1)
    print('handled', flush=True)
    handled.append(True)
signal.signal(signal.SIGINT, handle)
burn(0.1)
os.write(1, b'begun\\n')  # the handler prints, and print may not be called within print
while not handled:
    time.sleep(0.05)
raise SystemExit('the reason')
""",
}
TYPED = {
    "no handler": [("begun\n", CTRL_C)],
    "tidies up": [("begun\n", CTRL_C)],
    "is interrupted as it tidies up": [("begun\n", CTRL_C), ("tidying\n", CTRL_C)],
    "goes on": [("begun\n", CTRL_C), ("^C", "as before\n")],
    "handler": [("begun\n", CTRL_C)],
}


def run(folder: Path, typed: list[tuple[str, str]], *words: object) -> tuple[int, str]:
    """What a command ends with, and all that the terminal shows, but for the line of ``wait`` that
    it is in: it may still print, or sleep already."""
    with Foreground(words, folder) as command:
        for text, keys in typed:
            command.wait_for(text)
            command.type(keys)
        return command.wait(), re.sub(r"line \d+, in wait\n.*\n", "in wait\n", command.shown)


@pytest.mark.parametrize("name", PROGRAMS)
def test_ctrl_c_does_what_it_does_without(tmp_path: Path, name: str) -> None:
    """Status, traceback and all; only the line about the file follows."""
    (tmp_path / "program.py").write_text(BEGIN + PROGRAMS[name])
    output = tmp_path / "cpu.pb.gz"
    typed = TYPED[name]
    status, shown = run(tmp_path, typed, sys.executable, "program.py")
    recorded = run(
        tmp_path,
        typed,
        *(sys.executable, "-m", "stackglass", "run", "--cpu-hz", "1000", "-o", output),
        "program.py",
    )
    assert recorded[0] == status
    assert recorded[1].startswith(shown)
    assert recorded[1][len(shown) :].startswith(str(output))
    assert recorded[1][len(shown) :].count("\n") == 1
    assert SavedProfile.read(output).cum_ns("burn") > 0.02e9


def test_ctrl_c_ends_a_shells_loop(tmp_path: Path) -> None:
    """A shell goes on after a command that exits with 130: it must be ended by the signal."""
    program = BEGIN + PROGRAMS["no handler"]
    status, shown = run(
        tmp_path,
        [("begun\n", CTRL_C)],
        *("bash", "-c", 'for i in 1 2; do "$@"; done; echo went on', "bash"),
        *(sys.executable, "-m", "stackglass", "run", "-o", "cpu.pb.gz", "-c", program),
    )
    assert status == -signal.SIGINT
    assert shown.count("begun") == 1
    assert "went on" not in shown
    assert (tmp_path / "cpu.pb.gz").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGUSR2, signal.SIGKILL])
def test_it_is_ended_by_the_signal_that_ended_the_program(
    tmp_path: Path, number: signal.Signals
) -> None:
    default = f"signal.signal({number:d}, signal.SIG_DFL)" if number != signal.SIGKILL else ""
    program = f"import os, signal\n{default}\nos.kill(os.getpid(), {number:d})\n"
    output = tmp_path / "cpu.pb.gz"
    assert run_command("run", "-o", output, "-c", program) == (-number, "", "")
    assert SavedProfile.read(output).message.sample_type


def test_ctrl_c_again_as_requested_profiles_are_written(tmp_path: Path) -> None:
    """They are written by the program itself, which ends as it does without them."""
    (tmp_path / "program.py").write_text(f"import stackglass\n{BEGIN}wait('begun')\n")
    status, shown = run(
        tmp_path,
        [("begun\n", CTRL_C), ("KeyboardInterrupt", CTRL_C)],
        *("env", "STACKGLASS_PROFILE=cpu,heap,block", "STACKGLASS_OUTPUT=profiles"),
        *(sys.executable, "program.py"),
    )
    assert status == -signal.SIGINT
    assert "requested_profiles" not in shown
    written = sorted(path.name for path in (tmp_path / "profiles").iterdir())
    assert written == ["block.pb.gz", "cpu.pb.gz", "heap.pb.gz"]
