"""Injection into real processes: it gets in, and the program cannot notice."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.compiled import compile_library, compile_program, find_compiler
from harness.injected import ENTERED, PATIENCE_S, enter, running
from harness.proc_state import read_status
from harness.pythons import Python, find_pythons
from harness.targets import STATES, Target, read_thread_state, start_in_state
from stackglass.attach import injection
from stackglass.attach.errors import (
    BusyTargetError,
    InjectionError,
    NoSuchProcessError,
    TraceDeniedError,
    TracedError,
)
from stackglass.attach.proc import PROC
from stackglass.attach.python_build import find_python
from stackglass.native import _core

pytestmark = [
    pytest.mark.attach,
    pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler"),
]

PYTHONS = find_pythons().present
SHORT_NS = 500_000_000
WAITING = r"the loader of process \d+ does not answer( \(thread \d+ is in \w+\))?: another"


def enter_until_refused(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert enter(pid, "enter_and_wait").value == ENTERED


def await_file(path: Path, n_lines: int = 1) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists() or path.read_text().count("\n") < n_lines:
        assert time.monotonic() < deadline, f"{path} never held {n_lines} lines"
        time.sleep(0.001)


def await_state(pid: int, letter: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while read_thread_state(pid, pid) != letter:
        assert time.monotonic() < deadline, f"process {pid} never got into state {letter}"
        time.sleep(0.001)


@pytest.mark.parametrize("python", PYTHONS, ids=lambda one: one.label)
def test_every_python_lets_a_sleeper_in(python: Python, tmp_path: Path) -> None:
    with start_in_state(python, "sleep") as target:
        done = enter(target.pid, path=tmp_path / "entered")
        assert done.value == ENTERED
        await_file(tmp_path / "entered")
        target.finish()


@pytest.mark.parametrize("python", PYTHONS, ids=lambda one: one.label)
def test_malloc_churn_never_hangs(python: Python, tmp_path: Path) -> None:
    """The thread is left alone while it may hold malloc's lock: a hang would be for ever."""
    with start_in_state(python, "malloc churn") as target:
        for _ in range(15):
            assert enter(target.pid, path=tmp_path / "entered").value == ENTERED
        await_file(tmp_path / "entered", 15)
        target.finish()


@pytest.mark.parametrize("state", sorted(set(STATES) - {"50 threads"}))  # ends slowly
def test_every_state_goes_on_as_before(state: str, tmp_path: Path) -> None:
    python = PYTHONS[-1]
    with start_in_state(python, state) as target:
        for _ in range(3):
            assert enter(target.pid, path=tmp_path / "entered").value == ENTERED
        await_file(tmp_path / "entered", 3)
        target.finish()


WAIT_S = 4  # for long enough to be interrupted some times on a busy machine
WAITS = {
    "sleep": f"time.sleep({WAIT_S})",
    "select": f"select.select([], [], [], {WAIT_S})",
    "lock": f"lock.acquire(timeout={WAIT_S})",
    "poll": f"select.poll().poll({WAIT_S}000)",
    "epoll": f"select.epoll().poll({WAIT_S})",
}
WAITER = """
import select, sys, threading, time
lock = threading.Lock()
lock.acquire()
print("ready", flush=True)
start = time.monotonic()
WAIT
print(time.monotonic() - start)
"""


IGNORED = (signal.SIGTRAP, signal.SIGSEGV)
IGNORING = f"""
import signal
for number in {[int(number) for number in IGNORED]}:
    signal.signal(number, signal.SIG_IGN)
"""


BLOCKING = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"


@pytest.mark.parametrize("start", ["", IGNORING], ids=["plain", "ignoring"])
@pytest.mark.parametrize("python", PYTHONS[:: max(len(PYTHONS) - 1, 1)], ids=lambda one: one.label)
def test_a_timed_wait_is_restarted(python: Python, start: str) -> None:
    """Interrupted again and again, it does not end early, whatever it waits in."""
    with contextlib.ExitStack() as stack:
        waiters = {
            name: stack.enter_context(
                running(python.executable, "-c", start + WAITER.replace("WAIT", wait))
            )
            for name, wait in WAITS.items()
        }
        for _ in range(3):
            for process in waiters.values():
                with contextlib.suppress(NoSuchProcessError):  # its wait was over
                    assert enter(process.pid).value == ENTERED
        took_s = {
            name: float(process.communicate(timeout=PATIENCE_S)[0])
            for name, process in waiters.items()
        }
    assert min(took_s.values()) >= WAIT_S - 0.001, took_s


@pytest.mark.parametrize("python", PYTHONS, ids=lambda one: one.label)
def test_signals_that_the_program_ignores_stay_ignored(python: Python) -> None:
    """The kernel gives an ignored SIGTRAP or SIGSEGV its default action as a call ends with it."""
    program = IGNORING + BLOCKING + WAITER.replace("WAIT", "signal.sigwait([signal.SIGTERM])")
    with running(python.executable, "-c", program) as process:
        before = read_status(process.pid)["SigIgn"]
        for _ in range(3):
            assert enter(process.pid).value == ENTERED
            assert read_status(process.pid)["SigIgn"] == before
        for number in (*IGNORED, signal.SIGTERM):
            process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0


def test_ignored_signals_stay_ignored_where_no_memory_can_be_mapped() -> None:
    """The first call of a visit is then the last."""
    program = IGNORING + BLOCKING + WAITER.replace("WAIT", "signal.sigwait([signal.SIGTERM])")
    with running(sys.executable, "-c", program) as process:
        before = read_status(process.pid)["SigIgn"]
        limits = resource.prlimit(process.pid, resource.RLIMIT_AS)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (1 << 20, limits[1]))
        with pytest.raises(InjectionError, match=r"RLIMIT_AS|memory"):
            enter(process.pid)
        assert read_status(process.pid)["SigIgn"] == before
        resource.prlimit(process.pid, resource.RLIMIT_AS, limits)
        for number in (*IGNORED, signal.SIGTERM):
            process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0


def test_registers_errno_mask_and_signals_are_kept() -> None:
    """A C loop with constants in vector registers; a flood of queued signals meanwhile."""
    n_signals = 0
    with running(compile_program("vector_loop.c")) as process:
        for _ in range(20):
            for _ in range(10):
                os.kill(process.pid, signal.SIGRTMIN)
                n_signals += 1
            assert enter(process.pid, "enter_and_scribble").value == ENTERED
        process.send_signal(signal.SIGTERM)
        said = dict(part.split("=") for part in process.communicate(timeout=PATIENCE_S)[0].split())
        assert process.returncode == 0
    assert int(said["rounds"]) > 0
    assert (said["vectors"], said["errno"], said["mask"]) == ("0", "0", "0")
    assert int(said["signals"]) == n_signals


def test_signals_of_faults_that_others_send_are_kept() -> None:
    """They end no call, and come after it. The program sleeps in the call alone."""

    def send() -> None:
        await_state(process.pid, "S")
        for number in (signal.SIGTRAP, signal.SIGSEGV):
            process.send_signal(number)

    with running(compile_program("vector_loop.c")) as process:
        assert enter(process.pid, "enter_and_wait", meanwhile=send).value == ENTERED
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE_S)[0].split()
        assert process.returncode == 0
    assert "sent=2" in said


def test_faults_of_the_programs_own_are_no_calls() -> None:
    """A thread may have faulted as it comes to a stop, and its signal is still to come. Where
    others run first, each of its stops may be such a one."""
    n_entered = 0
    with running(compile_program("guarded.c")) as process:
        for _ in range(20):
            with contextlib.suppress(BusyTargetError):
                assert enter(process.pid).value == ENTERED
                n_entered += 1
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE_S)[0] == "missed=0\n"
    assert n_entered > 0


def test_a_fault_in_the_call_is_undone() -> None:
    with start_in_state(PYTHONS[-1], "busy") as target:
        with pytest.raises(InjectionError, match="faulted and was undone"):
            enter(target.pid, "enter_and_fault")
        target.finish()


def test_a_call_that_makes_progress_is_waited_for() -> None:
    """On a busy machine the loader may need long; one that sleeps waits for a lock."""
    with start_in_state(PYTHONS[-1], "sleep") as target:
        assert enter(target.pid, "enter_and_work_long", timeout_ns=SHORT_NS).value == ENTERED
        with pytest.raises(BusyTargetError, match=WAITING):
            enter(target.pid, "enter_and_sleep_long", timeout_ns=SHORT_NS)
        target.finish()


def test_a_thread_that_stops_late_is_released_during_the_call() -> None:
    """It may hold the loader's lock. Here it stops for longer than is waited for, in the loader."""
    holder = compile_library("loader_holder.c")
    with Target(PYTHONS[-1], "loader_held.py", LOADER_HOLDER=holder) as target:
        for _ in range(2):
            assert enter(target.pid).value == ENTERED
        target.finish()


def test_a_missing_library_is_the_loaders_own_words(tmp_path: Path) -> None:
    with start_in_state(PYTHONS[-1], "sleep") as target:
        with pytest.raises(InjectionError, match="No such file"):
            injection.inject(target.pid, str(tmp_path / "absent.so"), b"\0")
        with pytest.raises(InjectionError, match="no such entry"):
            enter(target.pid, "absent")
        target.finish()


def test_a_stopped_process_is_refused_and_stays_stopped(tmp_path: Path) -> None:
    with start_in_state(PYTHONS[-1], "sleep") as target:
        os.kill(target.pid, signal.SIGSTOP)
        await_state(target.pid, "T")
        with pytest.raises(BusyTargetError, match="stopped"):
            enter(target.pid)
        await_state(target.pid, "T")  # the kernel has it stop again: on a busy machine, later
        os.kill(target.pid, signal.SIGCONT)
        assert enter(target.pid, path=tmp_path / "entered").value == ENTERED
        target.finish()


def test_ctrl_z_during_the_call_takes_effect_after_it() -> None:
    with start_in_state(PYTHONS[-1], "busy") as target:
        helper = subprocess.Popen(
            [sys.executable, "-c", f"import os,time; time.sleep(.1); os.kill({target.pid}, 19)"]
        )
        with pytest.raises(BusyTargetError):
            enter_until_refused(target.pid)
        assert helper.wait(PATIENCE_S) == 0
        await_state(target.pid, "T")
        os.kill(target.pid, signal.SIGCONT)
        target.finish()


def test_the_caller_may_be_killed_in_the_middle() -> None:
    """The target is put back by a process that outlives us."""
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from stackglass.attach import injection
print("ready", flush=True)
injection.inject(int(sys.argv[1]), {compile_library("fake_engine.c")!r}, b"\\0",
                 symbol="enter_and_wait")
"""
    with start_in_state(PYTHONS[-1], "busy") as target:
        with running(sys.executable, "-c", program, str(target.pid)) as caller:
            time.sleep(0.1)
            caller.kill()
        target.finish()


def test_a_process_that_ends_meanwhile_is_reported() -> None:
    with start_in_state(PYTHONS[-1], "busy") as target:
        killer = subprocess.Popen(
            [sys.executable, "-c", f"import os,time; time.sleep(.1); os.kill({target.pid}, 9)"]
        )
        with pytest.raises(NoSuchProcessError):
            enter_until_refused(target.pid)
        assert killer.wait(PATIENCE_S) == 0


def test_a_program_that_is_no_python_loads_or_refuses_and_goes_on() -> None:
    """The library that needs Python's symbols cannot be loaded, and nothing else happens."""
    with running(compile_program("vector_loop.c")) as process:
        with pytest.raises(InjectionError, match="undefined symbol"):
            injection.inject(process.pid, str(_core.__file__), b"\0")
        process.send_signal(signal.SIGTERM)
        assert "vectors=0" in process.communicate(timeout=PATIENCE_S)[0]


def find_libpython(python: Python) -> str:
    """The shared library that an interpreter uses; "" if it is linked into the program."""
    with start_in_state(python, "sleep") as target:
        build = find_python(target.pid, PROC.read_maps(target.pid))
    assert build is not None
    return build.path if ".so" in build.path else ""


def test_a_program_that_keeps_its_python_to_itself_is_entered() -> None:
    """The library misses Python's symbols at first: libpython was loaded as a private library."""
    libpython = find_libpython(PYTHONS[0])
    if not libpython:
        pytest.skip(f"{PYTHONS[0].label} has no shared libpython")
    home = {**os.environ, "PYTHONHOME": str(Path(libpython).parents[1])}
    with subprocess.Popen(
        [compile_program("embedder.c"), libpython],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=home,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            # Without arguments the engine refuses to start, which it can say only from inside.
            assert injection.inject(process.pid, str(_core.__file__), b"\0").value < 0
        finally:
            process.kill()


@pytest.fixture
def sleeping() -> Iterator[Target]:
    with start_in_state(find_pythons().present[0], "sleep") as target:
        yield target


def test_the_caller_works_while_the_tracer_does(sleeping: Target, tmp_path: Path) -> None:
    """The entry opens a FIFO, which lasts until the caller opens its other end."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def open_other_end() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:  # no thread reads there
                assert time.monotonic() < deadline, "the entry has not begun"
                time.sleep(0.001)
            else:
                return

    assert enter(sleeping.pid, "enter_and_open", fifo, meanwhile=open_other_end).value == ENTERED
    sleeping.finish()


def test_an_error_of_the_caller_harms_nothing(sleeping: Target) -> None:
    """The tracer continues, and restores the thread."""

    def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        enter(sleeping.pid, "enter_and_wait", meanwhile=fail)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with contextlib.suppress(TraceDeniedError, TracedError):  # the first tracer is there
            assert enter(sleeping.pid).value == ENTERED
            break
        assert time.monotonic() < deadline
        time.sleep(0.001)
    sleeping.finish()
