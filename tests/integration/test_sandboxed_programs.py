"""Programs in sandboxes of their own (bubblewrap): attached to, or the true reason is given."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.pythons import Python
from harness.recorder import CORE
from harness.seccomp_filters import ALLOW, DENY, KILL, build_filter
from harness.seccomp_lists import BARE, FLATPAK_DENIED
from harness.session import PATIENCE_S, Session
from harness.targets import FOLDER, Target, die_with_parent
from stackglass.attach.socket_directory import list_folders
from stackglass.errors import AttachError

pytestmark = pytest.mark.attach

OWN_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--proc", "/proc")
FLATPAK = build_filter(FLATPAK_DENIED, DENY, ALLOW)
WITHOUT_ADMIN = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin")


@contextmanager
def sandbox(python: Python, *words: str, code: bytes = b"") -> Iterator[int]:
    """``filtered.py`` in a sandbox; the process id as it is outside."""
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    filters: Sequence[int] = ()
    if code:
        reading, writing = os.pipe()
        os.write(writing, code)
        os.close(writing)
        filters = (reading,)
        words = (*words, "--seccomp", str(reading))
    process = subprocess.Popen(
        ["bwrap", *words, "--", python.executable, str(FOLDER / "filtered.py"), "/nowhere/stop"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=filters,
        preexec_fn=die_with_parent,
    )
    for descriptor in filters:
        os.close(descriptor)
    try:
        assert process.stdout is not None
        if not process.stdout.readline():
            assert process.stderr is not None
            pytest.skip(f"no sandbox here: {process.stderr.read().decode()}")
        yield find_innermost(process.pid)
        assert process.poll() is None, "the sandbox has ended"
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def find_innermost(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return find_innermost(int(children[0])) if children else pid


def list_threads(pid: int) -> set[str]:
    return set(os.listdir(f"/proc/{pid}/task"))


def refuse(pid: int) -> str:
    """The refusal. No thread and no file of the engine stays, and the program goes on."""
    threads = list_threads(pid)
    with pytest.raises(AttachError) as refusal:
        Session(pid)
    deadline = time.monotonic() + PATIENCE_S
    while list_threads(pid) != threads:
        assert time.monotonic() < deadline, "threads of the engine stay"
        time.sleep(0.01)
    for place in list_folders(os.geteuid()):
        assert not list(Path(place).glob(f"{pid}-*"))
    return str(refusal.value)


@each_python
def test_own_namespaces_and_a_filter(python: Python) -> None:
    """As flatpak has them, but for the directory that both see."""
    words = ("--bind", "/", "/", "--dev", "/dev", "--die-with-parent", *OWN_NAMESPACES)
    with sandbox(python, *words, code=FLATPAK) as pid:
        for _ in range(2):
            with Session(pid, hz=500) as session:
                session.wait_for_samples(20)
                session.wait_for_function("compute")
                session.set_heap_rate(4096)
                session.set_contention_rates(block_ns=1, fraction=1, gil_hz=100)
                session.wait_for_contention(lambda status: status.n_events > 0)
                session.detach()
                session.wait_for_end()


@each_python
def test_read_only_file_systems(python: Python) -> None:
    """Also /tmp and /dev/shm."""
    words = ("--ro-bind", "/", "/", "--die-with-parent", *OWN_NAMESPACES)
    with sandbox(python, *words) as pid:
        place = list_folders(os.geteuid())[0]
        assert f"{place} is on a read-only file system" in refuse(pid)


@some_pythons
def test_a_directory_that_is_not_seen_inside(python: Python) -> None:
    """As flatpak's: a /tmp and a /dev/shm of its own."""
    hidden = ("--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/dev/shm")
    words = ("--ro-bind", "/", "/", "--die-with-parent", *OWN_NAMESPACES, *hidden)
    with sandbox(python, *words, code=FLATPAK) as pid:
        assert "it runs in a container or a file system of its own" in refuse(pid)


def run_without_admin(*words: object) -> subprocess.CompletedProcess[str]:
    """By a Python that may not read filters: no CAP_SYS_ADMIN, as an ordinary user."""
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    return subprocess.run(
        [*WITHOUT_ADMIN, sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(CORE)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_such_a_caller_cannot_read_filters() -> None:
    code = build_filter(BARE, ALLOW, KILL)
    look = "import sys; from stackglass.native import _core; _core.read_filters(int(sys.argv[1]))"
    with Target(NEWEST, "filtered.py", FILTER=code.hex()) as target:
        done = run_without_admin("-c", look, target.pid)
        assert "PermissionError" in done.stderr
        target.finish()


@each_python
def test_a_filter_that_the_caller_cannot_read(python: Python, tmp_path: Path) -> None:
    """It kills on everything that the engine can do without; and nothing of that is done."""
    code = build_filter(BARE, ALLOW, KILL)
    words = [word for name in ("cpu", "heap", "block", "gil") for word in ("--profile", name)]
    with Target(python, "filtered.py", FILTER=code.hex(), SOCKETS="1") as target:
        done = run_without_admin(
            "-m", "stackglass", "record", target.pid, *words, "--duration", "1", "-o", tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert len(list(tmp_path.iterdir())) == 4
        target.finish()
