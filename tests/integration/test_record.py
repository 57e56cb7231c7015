"""``stackglass record`` on real processes and commands."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.pythons import Python, find_pythons
from harness.recorder import (
    CORE,
    PATIENCE_S,
    Terminal,
    record,
    run_command,
    start_record,
    wait_until,
)
from harness.saved_profile import SavedProfile
from harness.targets import Target
from stackglass import cli
from stackglass.attach.proc import PROC
from stackglass.attach.socket_directory import find_socket

pytestmark = pytest.mark.attach

EVERY_PYTHON = pytest.mark.parametrize(
    "python", find_pythons().present, ids=lambda python: python.label
)
BURN = """
import sys, time
def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        sum(range(1000))
def main():
    burn(float(sys.argv[1]))
main()
"""


def has_engine(pid: int) -> bool:
    path = find_socket(pid, PROC.read_stat(pid).start_time, os.geteuid())
    return path is not None


def test_the_format_from_before_protobuf(tmp_path: Path) -> None:
    """Go finds the counts in the binary part, and the viewer the names behind it."""
    path = tmp_path / "cpu.prof"
    with Target(find_pythons().present[-1], "busy.py") as target:
        words = (target.pid, "-o", path, "--duration", "1", "--cpu-hz", "1000", "--legacy")
        assert record(*words) == (0, "", "")
    assert path.read_bytes()[:24] == struct.pack("=3Q", 0, 3, 0)
    status, table, _ = run_command("top", path)
    assert status == 0
    assert "run_rounds" in table
    raw = run_pprof("-raw", path)
    assert "samples/count cpu/nanoseconds" in raw
    assert "Period: 1000000" in raw


@EVERY_PYTHON
def test_a_process_for_a_while(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    with Target(python, "busy.py") as target:
        words = (target.pid, "-o", path, "--duration", "1", "--cpu-hz", "1000")
        assert record(*words) == (0, "", "")
    profile = SavedProfile.read(path)
    assert profile.n_samples >= 10
    assert profile.cum_ns("run_rounds") > 0.7 * profile.cpu_ns
    assert profile.cum_ns("work") > 0.5 * profile.cpu_ns
    assert profile.message.duration_nanos >= 10**9
    assert profile.message.period == 10**6
    assert {row.labels["thread_id"] for row in profile.rows} == {str(target.pid)}
    assert "work" in run_pprof("-top", "-cum", path)


@EVERY_PYTHON
def test_a_command_from_its_first_line_to_its_end(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    command = [python.executable, "-c", BURN + "sys.exit(7)", "0.5"]
    assert record("-o", path, "--cpu-hz", "1000", "--", *command) == (7, "", "")
    profile = SavedProfile.read(path)
    assert profile.cum_ns("burn") > 0.4e9
    assert profile.cum_ns("main") > 0.98 * profile.cum_ns("burn")


@pytest.mark.checklist(21)
@EVERY_PYTHON
def test_a_command_that_ends_at_once(python: Python, tmp_path: Path) -> None:
    """Checklist 21."""
    path = tmp_path / "cpu.pb.gz"
    assert record("-o", path, "--", python.executable, "-c", "pass") == (0, "", "")
    types = SavedProfile.read(path).message.sample_type
    assert len(types) == 2


def test_a_commands_streams_are_its_own(tmp_path: Path) -> None:
    program = "import sys; sys.stderr.write('err'); print(sys.stdin.read().upper())"
    status, out, err = record(
        "-o", tmp_path / "cpu.pb.gz", "--", sys.executable, "-c", program, stdin=b"hello"
    )
    assert (status, out, err) == (0, "HELLO\n", "err")


def test_a_command_behind_a_shell(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    program = tmp_path / "burn.py"
    program.write_text(BURN)
    command = f"{sys.executable} {program} 0.5; exit 4"
    status, _, err = record("-o", path, "--cpu-hz", "1000", "--", "sh", "-c", command)
    assert (status, err) == (4, "")
    assert SavedProfile.read(path).cum_ns("burn") > 0.2e9


def test_a_python_that_never_says_hello_is_entered_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    command = [sys.executable, "-I", "-S", "-c", BURN, "2.5"]
    assert record("-o", path, "--", *command) == (0, "", "")
    assert SavedProfile.read(path).cum_ns("burn") > 0.2e9


def test_signals_go_on_to_the_command_and_the_recording_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    ready = tmp_path / "ready"
    program = f"open({str(ready)!r}, 'w').close()\n" + BURN
    process = start_record("-o", path, "--", sys.executable, "-c", program, "60")
    wait_until(ready.exists, "the command")
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=PATIENCE_S) == (b"", b"")
    assert process.returncode == -signal.SIGTERM
    assert len(SavedProfile.read(path).message.sample_type) == 2


def test_a_duration_ends_the_recording_and_not_the_command(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    command = [sys.executable, "-c", BURN + "print('whole')", "2"]
    status, out, err = record("-o", path, "--duration", "0.5", "--", *command)
    assert (status, out, err) == (0, "whole\n", "")
    assert SavedProfile.read(path).cpu_ns < 1.9e9


@contextlib.contextmanager
def recording_of(
    target: Target, path: Path, terminal: Terminal
) -> Iterator[subprocess.Popen[bytes]]:
    """A recording without a limit that has ten samples."""
    process = start_record(target.pid, "-o", path, stderr=terminal.theirs)
    try:
        wait_until(lambda: terminal.count_samples() >= 10, "a sample")
        yield process
    finally:
        process.kill()
        process.communicate()


def test_an_interrupt_ends_a_recording_and_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    with (
        Target(find_pythons().present[-1], "busy.py") as target,
        Terminal() as terminal,
        recording_of(target, path, terminal) as process,
    ):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
        wait_until(lambda: not has_engine(target.pid), "the engine's leave")
        assert terminal.read().split("\r\x1b[K")[-1].startswith(f"{path}: ")
    assert SavedProfile.read(path).n_samples >= 10


INTERRUPTED_WRITES = """
import os, signal, sys
from stackglass import cli
from stackglass.wire import profile_file
write_file, n = profile_file.write_file, int(sys.argv[1])
def write_interrupted(*words):
    for _ in range(n):
        os.kill(os.getpid(), signal.SIGINT)
    write_file(*words)
profile_file.write_file = write_interrupted
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(("n_interrupts", "status"), [(1, 0), (2, cli.INTERRUPTED & 0xFF)])
def test_an_interrupt_while_the_file_is_written_keeps_it(
    n_interrupts: int, status: int, tmp_path: Path
) -> None:
    """A second Ctrl+C, for which there may be much time if C functions are looked up; only a third
    one gives up."""
    path = tmp_path / "cpu.pb.gz"
    with Target(find_pythons().present[-1], "busy.py") as target:
        words = ("record", str(target.pid), "-o", str(path), "--duration", "0.3")
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED_WRITES, str(n_interrupts), *words],
            env={**os.environ, "PYTHONPATH": str(CORE)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == status
    assert f"stackglass: still writing {path}; interrupt again to give up" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ([path.name] if status == 0 else [])


def test_a_target_that_is_killed_leaves_what_there_was(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    with (
        Target(find_pythons().present[0], "busy.py") as target,
        Terminal() as terminal,
        recording_of(target, path, terminal) as process,
    ):
        os.kill(target.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
        last_line = terminal.read().splitlines()[-1]
    assert last_line.endswith(f"; {path} holds what was recorded before")
    assert SavedProfile.read(path).n_samples >= 10


def test_standard_output_takes_a_profile(tmp_path: Path) -> None:
    with Target(find_pythons().present[0], "busy.py") as target:
        process = start_record(target.pid, "-o", "-", "--duration", "0.5")
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b"")
    assert SavedProfile(out).n_samples > 0


@pytest.mark.parametrize("output", ["full", "broken", "closed"])
def test_a_command_runs_to_its_end_whatever_becomes_of_standard_output(output: str) -> None:
    """The profile is due before the command ends."""
    reading, broken = os.pipe()
    os.close(reading)
    code = (
        "import sys, time; sum(range(10**6)); time.sleep(1); sys.stderr.write('end '); sys.exit(3)"
    )
    words = ["record", "-o", "-", "--duration", "0.3", "--", sys.executable, "-c", code]
    with open("/dev/full", "wb") as full, open(broken, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "stackglass", *words],
            stdout=pipe if output == "broken" else full,
            stderr=subprocess.PIPE,
            preexec_fn=(lambda: os.close(1)) if output == "closed" else None,
            text=True,
            check=False,
        )
    why = {"full": "No space left on device", "closed": "it is closed"}.get(output)
    said = f"stackglass: cannot write to standard output: {why}\n" if why else ""
    assert (done.returncode, done.stderr) == (3, f"end {said}")


def test_a_terminal_sees_how_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    with Target(find_pythons().present[0], "busy.py") as target, Terminal() as terminal:
        words = (target.pid, "-o", path, "--duration", "1")
        process = start_record(*words, stderr=terminal.theirs)
        process.communicate(timeout=PATIENCE_S)
        lines = terminal.read().split("\r\x1b[K")
    assert any(" samples, 0 lost" in line for line in lines), lines
    assert lines[-1].startswith(f"{path}: "), lines


def test_shares_that_may_be_off_are_reported(tmp_path: Path) -> None:
    """In the file, and in the summary on a terminal; not as an error."""
    path = tmp_path / "cpu.pb.gz"
    with Target(find_pythons().present[0], "busy.py") as target, Terminal() as terminal:
        words = (target.pid, "-o", path, "--duration", "1", "--clock", "timer")
        assert run_command("record", *words) == (0, "", "")
        process = start_record(*words, stderr=terminal.theirs)
        process.communicate(timeout=PATIENCE_S)
        summary = terminal.read().split("\r\x1b[K")[-1].splitlines()
    warning = (
        "CPU shares may be 40 percentage points off while other processes keep all processors busy "
        "(CPU timers tick less often soon after a system call)"
    )
    assert summary[0].startswith(f"{path}: ")
    assert summary[1:] == [warning]
    message = SavedProfile.read(path).message
    assert [message.string_table[comment] for comment in message.comment] == [warning]
