"""Signals end a recording, or go on to a child."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.recorder import CORE
from stackglass.attach.proc import PROC
from stackglass.record import early_signals, signals
from stackglass.record.bystander import Bystander

CATCHER = """
import os, signal
def say(number, frame):
    os.write(1, b"%d\\n" % number)  # a handler may interrupt a print()
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, say)
os.write(1, b"caught\\n")
while True:
    signal.pause()
"""

# A process of its own: among this one's threads some may take the signal instead.
RELAYER = """
import subprocess, sys
from stackglass.record import signals
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.DEVNULL)
with signals.block() as before:
    relay = signals.Relay(child.pid)
    relay.start()
    print("passed on", flush=True)
    sys.stdin.read()
    relay.stop()
child.kill()
child.wait()
print(sorted(before & signals.FORWARDED), flush=True)
"""


# A request that comes before the command is loaded.
EARLY = """
import os, signal, sys
from stackglass import cli
from stackglass.commands import catalogue
load = catalogue.load
def load_late(name):
    os.kill(os.getpid(), signal.SIGUSR1)
    return load(name)
catalogue.load = load_late
sys.exit(cli.main(sys.argv[1:]))
"""
NO_PROCESS = str(2**22 + 1)


def request_early(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", EARLY, *words],
        env={**os.environ, "PYTHONPATH": str(CORE)},
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
    )


def test_an_early_request_does_not_end_a_recorder(tmp_path: Path) -> None:
    window = ("--profile", "memory", "--window", "1s", "-o", str(tmp_path / "trace.sgm"))
    done = request_early("record", *window, NO_PROCESS)
    assert done.returncode == 1
    assert done.stderr.startswith(f"stackglass: there is no process {NO_PROCESS}")


@pytest.mark.attach
def test_an_early_request_is_served(tmp_path: Path) -> None:
    window = ("--profile", "memory", "--window", "1s", "-o", str(tmp_path / "trace.sgm"))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        done = request_early("record", *window, "--duration", "0.1", str(process.pid))
        process.kill()
    assert done.returncode == 0, done.stderr
    assert "requested" in done.stderr


@pytest.mark.attach
def test_a_program_is_run_with_its_own_mask() -> None:
    look = "import signal; print(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    done = request_early("run", "-o", os.devnull, "--", "sh", "-c", f"{sys.executable} -c '{look}'")
    assert done.stdout == "0\n", done.stderr


def test_an_early_signal_acts_as_before_where_it_is_no_request(tmp_path: Path) -> None:
    done = request_early("record", "-o", str(tmp_path / "cpu.pb.gz"), NO_PROCESS)
    assert done.returncode == -signal.SIGUSR1


def test_requests_are_held_only_as_long_as_a_command_runs() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with early_signals.hold():
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) >= early_signals.REQUESTS
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR2)  # no one serves it
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def read_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], 20.0)
    assert readable, "the child is silent"
    return process.stdout.readline().decode().strip()


def wait_until_taken(process: subprocess.Popen[bytes], number: int) -> None:
    """A second signal of this number would be merged with one that is still pending."""
    deadline = time.monotonic() + 20.0
    while PROC.read_status(process.pid).pending_signals >> (number - 1) & 1:
        assert time.monotonic() < deadline, "the recorder takes no signal"
        time.sleep(0.001)


@contextmanager
def run_relayer() -> Iterator[subprocess.Popen[bytes]]:
    """A relayer and its catcher in a group of their own."""
    relayer = subprocess.Popen(
        [sys.executable, "-c", RELAYER, CATCHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # select() knows nothing of lines that have been read ahead
        env={**os.environ, "PYTHONPATH": str(CORE)},
        start_new_session=True,
    )
    with relayer:
        try:
            assert {read_line(relayer), read_line(relayer)} == {"caught", "passed on"}
            yield relayer
            assert relayer.stdin is not None
            relayer.stdin.close()
            assert read_line(relayer) == "[]"
        finally:
            relayer.kill()


def test_what_a_process_sends_goes_on_to_the_child() -> None:
    with run_relayer() as relayer:
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            relayer.send_signal(number)
            assert read_line(relayer) == str(int(number))


def test_what_is_sent_to_the_whole_group_reaches_the_child_once() -> None:
    """And what is sent to the recorder alone after that goes on."""
    with run_relayer() as relayer:
        for _ in range(2):
            os.killpg(relayer.pid, signal.SIGTERM)
            assert read_line(relayer) == str(int(signal.SIGTERM))
            wait_until_taken(relayer, signal.SIGTERM)
            for number in (signal.SIGUSR1, signal.SIGTERM):
                relayer.send_signal(number)
                assert read_line(relayer) == str(int(number))


def test_what_the_terminal_sent_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the next signal, which a process sends to the recorder alone, would count as sent to
    all."""
    relay = signals.Relay(1)
    asked: list[tuple[int, int]] = []

    def wait(*_: object) -> SimpleNamespace:
        if asked:
            relay._is_stopped.set()
        return SimpleNamespace(si_signo=signal.SIGINT, si_code=128)  # SI_KERNEL

    def note(number: int, pid: int) -> bool:
        asked.append((number, pid))
        return True

    monkeypatch.setattr(signal, "sigtimedwait", wait)
    monkeypatch.setattr(Bystander, "start", lambda _: None)
    monkeypatch.setattr(Bystander, "has_got", lambda _, *words: note(*words))
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it is forwarded"))
    relay._run()
    assert asked == [(signal.SIGINT, 1)]


def test_ctrl_c_ends_without_an_exception() -> None:
    before = signal.getsignal(signal.SIGINT)
    with signals.catch_end() as is_stopped:
        assert not is_stopped()
        signal.raise_signal(signal.SIGINT)
        assert is_stopped()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_while_files_are_written_is_held_once(capfd: pytest.CaptureFixture[str]) -> None:
    """Users press Ctrl+C twice; the third time they want out."""
    with signals.catch_end() as ending:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # for the same end
        ending.hold("still writing a.pb.gz")
        signal.raise_signal(signal.SIGTERM)
        assert capfd.readouterr().err == "stackglass: still writing a.pb.gz\n"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(SystemExit, match=str(128 + signal.SIGHUP)):
            signal.raise_signal(signal.SIGHUP)


def test_a_command_of_another_user_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else the thread that forwards signals would end with the first one."""

    def refuse(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "kill", refuse)
    signals.Relay(1)._forward(signal.SIGTERM)
    said = capsys.readouterr().err
    assert said == "stackglass: the command runs as another user: it gets no SIGTERM\n"


def test_an_end_by_a_signal_leaves_no_core_file(tmp_path: Path) -> None:
    program = (
        "import resource, signal\n"
        "from stackglass.record import signals\n"
        "hard = resource.getrlimit(resource.RLIMIT_CORE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))\n"
        "signal.signal(signal.SIGQUIT, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGQUIT])\n"
        "print('written', end='')\n"
        "signals.end_by(signal.SIGQUIT)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CORE)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGQUIT, b"written", b"")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_end_by_a_signal_that_ends_nothing_returns(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """As in the first process of a container."""
    sent: list[tuple[int, int]] = []
    limits: list[tuple[int, tuple[int, int]]] = []
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(os, "kill", lambda *words: sent.append(words))
    monkeypatch.setattr(resource, "setrlimit", lambda *words: limits.append(words))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, 0))
    try:
        signals.end_by(number)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert sent == [(os.getpid(), number)]
    assert limits == [(resource.RLIMIT_CORE, (0, 0))]
