"""``stackglass run`` on real programs: they run as they do without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.recorder import CORE, PATIENCE_S, run_command, start_command, wait_until
from harness.saved_profile import SavedProfile

pytestmark = pytest.mark.attach

SHOW = """
import json, os, signal, sys
import __main__
print(json.dumps({
    "name": __name__,
    "file": globals().get("__file__"),
    "spec": __spec__ and __spec__.name,
    "main": sorted(n for n in vars(__main__) if n.startswith("__")),
    "argv": sys.argv,
    "flags": [sys.flags.utf8_mode, sys.flags.optimize],
    "path": sys.path,
    "modules": sorted(sys.modules),
    "environment": sorted((k, v) for k, v in os.environ.items() if k != "_"),
    "handlers": [str(signal.getsignal(n)) for n in range(1, 32)],
    "descriptors": sorted(os.listdir("/proc/self/fd")),
    "group": os.getpgid(0) == int(sys.argv[1]),
    "stdin": sys.stdin.read(),
}))
"""
BURN = """
import os, sys, time
def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        sum(range(1000))
"""


def run_plain(folder: Path, *words: object, **more: object) -> tuple[int, str, str]:
    """A command in a folder, with a line on its standard input and one more descriptor."""
    read_end, write_end = os.pipe()
    try:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=folder,
            input="a line\n",
            text=True,
            capture_output=True,
            timeout=PATIENCE_S,
            pass_fds=[read_end],
            env={**os.environ, "PYTHONPATH": str(CORE)},
            check=False,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    return done.returncode, done.stdout, done.stderr


def run_recorded(folder: Path, *words: object) -> tuple[int, str, str]:
    """The same under ``stackglass run``."""
    output = folder.parent / "cpu.pb.gz"
    command = [sys.executable, "-m", "stackglass", "run", "-o", output, *words]
    status, out, err = run_plain(folder, *command)
    assert SavedProfile.read(output).message.sample_type
    return status, out, err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program in several forms."""
    folder = tmp_path / "programs"
    (folder / "package").mkdir(parents=True)
    (folder / "package" / "__init__.py").touch()
    for path in ("script.py", "package/__main__.py", "package/part.py"):
        (folder / path).write_text(SHOW)
    (folder / "fail.py").write_text("import sys\ndef fail():\n    1 / 0\nfail()\n")
    (folder / "leave.py").write_text("import sys\nsys.exit('the reason')\n")
    (folder / "end.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    console = folder / "console"
    console.write_text(f"#!{sys.executable}\n{SHOW}")
    console.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["script.py", "GROUP", "-m", "--", "--children"],
        ["-m", "package", "GROUP", "--", "-c", "x"],
        ["-m", "package.part", "GROUP"],
        ["package", "GROUP"],
        ["-c", SHOW, "GROUP", "-o", "other"],
    ],
    ids=lambda words: words[0] if words[0][0] != "-" else " ".join(words[:2])[:12],
)
def test_a_program_sees_what_it_sees_without(folder: Path, words: list[str]) -> None:
    words = [str(os.getpgid(0)) if word == "GROUP" else word for word in words]
    assert run_recorded(folder, *words) == run_plain(folder, sys.executable, *words)


def test_a_console_script_and_a_pythons_options(folder: Path) -> None:
    words = ["./console", os.getpgid(0), "--", "x"]
    assert run_recorded(folder, *words) == run_plain(folder, *words)
    words = [sys.executable, "-X", "utf8", "-O", "script.py", os.getpgid(0)]
    assert run_recorded(folder, *words) == run_plain(folder, *words)
    assert run_recorded(folder, "--", *words) == run_plain(folder, *words)


def test_it_ends_as_it_does_without(folder: Path) -> None:
    for program in ("fail.py", "leave.py", "end.py"):
        assert run_recorded(folder, program) == run_plain(folder, sys.executable, program)


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "2> >(exec true)"])
def test_it_ends_as_it_does_without_a_reader(tmp_path: Path, redirection: str) -> None:
    """What it has to report here: the program replaces itself, which ends the recording."""
    program = BURN + "time.sleep(0.3)\nburn(0.3)\nos.execlp('sh', 'sh', '-c', 'sleep 0.5; exit 3')"
    words = [sys.executable, "-m", "stackglass", "run", "--cpu-hz", "1000", "--profile", "cpu"]
    words += ["--profile", "heap", "-o", str(tmp_path), "-c", program]
    line = f'"$@" {redirection}'
    status, out, err = run_plain(tmp_path, "bash", "-c", line, "bash", *words)
    assert (status, out, err) == (3, "", "")
    assert SavedProfile.read(tmp_path / "cpu.pb.gz").cum_ns("burn") > 0.1e9
    assert SavedProfile.read(tmp_path / "heap.pb.gz").message.sample_type


@some_pythons
def test_every_line_is_recorded(python: Python, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(BURN + "burn(0.6)\nos.kill(os.getpid(), 9)\n")
    pattern = tmp_path / "{profile}"
    status, out, err = run_command(
        *("run", "--profile", "cpu", "--profile", "heap", "--cpu-hz", "1000", "-o", pattern),
        *(python.executable, program),
    )
    assert (status, out, err) == (-signal.SIGKILL, "", "")
    assert SavedProfile.read(tmp_path / "cpu.pb.gz").cum_ns("burn") > 0.2e9
    assert SavedProfile.read(tmp_path / "heap.pb.gz").message.sample_type


@some_pythons
def test_a_program_that_ends_at_once_has_all_profiles(python: Python, tmp_path: Path) -> None:
    """The engine's first reports are with the recorder before the first line runs."""
    program = tmp_path / "program.py"
    program.write_text("import os\nos._exit(7)\n")
    names = ("cpu", "wall", "heap", "block", "mutex", "threadcreate")
    options = [word for name in names for word in ("--profile", name)]
    for turn in range(3):
        status, out, err = run_command(
            "run", *options, "-o", tmp_path / f"{turn}.{{profile}}", python.executable, program
        )
        assert (status, out, err) == (7, "", "")
        for name in names:
            assert SavedProfile.read(tmp_path / f"{turn}.{name}.pb.gz").message.sample_type


def test_a_signal_writes_what_was_recorded_so_far(tmp_path: Path) -> None:
    output = tmp_path / "cpu.pb.gz"
    program = BURN + "print('begun', flush=True)\nburn(60)"
    process = start_command("run", "--cpu-hz", "1000", "-o", output, "-c", program)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        wait_until(lambda: read_after_signal(process, output) > 0.1e9, "a profile of 0.1 s")
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == -signal.SIGTERM
    finally:
        process.kill()
        sys.stderr.write(process.communicate()[1].decode())  # says why there is no profile
    assert SavedProfile.read(output).cum_ns("burn") > 0.1e9


def read_after_signal(process: subprocess.Popen[bytes], output: Path) -> int:
    process.send_signal(signal.SIGUSR1)
    return SavedProfile.read(output).cum_ns("burn") if output.exists() else 0


@pytest.mark.parametrize(
    "begin",
    [
        "signal.signal(signal.SIGUSR1, handle)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])",
    ],
)
def test_a_signal_that_the_program_expects_is_its_own(tmp_path: Path, begin: str) -> None:
    program = (
        "import os, signal, time\nsignal.alarm(50)\n"
        # Not print: the signal may come while that still writes "begun".
        "def handle(*_):\n    os.write(1, b'handled\\n')\n    os._exit(0)\n"
        f"{begin}\nprint('begun', flush=True)\n"
        "if signal.pthread_sigmask(signal.SIG_BLOCK, []):\n"
        "    print('waited', signal.sigwait([signal.SIGUSR1]).name, flush=True)\n"
        "else:\n    time.sleep(60)\n"
    )
    output = tmp_path / "cpu.pb.gz"
    process = start_command("run", "-o", output, "-c", program)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGUSR1)
        assert process.stdout.readline() in (b"handled\n", b"waited SIGUSR1\n")
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def test_the_files_have_a_name_of_their_own(folder: Path) -> None:
    (folder / "print_pid.py").write_text("import os; print(os.getpid())")
    command = [sys.executable, "-m", "stackglass", "run", "print_pid.py"]
    _, out, _ = run_plain(folder, *command)
    assert SavedProfile.read(folder / f"print_pid.{int(out)}.cpu.pb.gz").message.sample_type
