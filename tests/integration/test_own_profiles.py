"""A program that imports stackglass: its profiles, its rates, and clients beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, SOME, some_pythons
from harness.pprof_server import PprofServer, serve_python
from harness.pythons import Python
from harness.saved_profile import SavedProfile
from harness.session import Session
from harness.targets import FOLDER

NAMES = (
    "allocs",
    "block",
    "cpu",
    "gil",
    "heap",
    "mutex",
    "threadcreate",
    "threadleak",
    "threads",
    "wall",
)


def run_target(python: Python, program: str, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [python.executable, str(FOLDER / program), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        # No place for a file of the engine's: it needs none for its own program.
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def sum_of(path: Path, function: str, column: int = 0) -> int:
    rows = SavedProfile.read(path).rows
    return sum(
        row.values[column] for row in rows if any(name.endswith(function) for name in row.stack)
    )


REQUESTED = """
import os, sys, time
import stackglass
kept = [bytes(100_000) for _ in range(200)]
end = time.thread_time() + 0.4
while time.thread_time() < end:
    sum(range(1000))
if not os.fork():
    sys.exit()  # runs what atexit has of the parent
os.wait()
"""


def test_the_environment_requests_profiles_of_a_program(tmp_path: Path) -> None:
    """The program only imports the package; the files are there when it has ended."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(FOLDER.parents[1] / "core"),
        "STACKGLASS_OUTPUT": "out",
    }
    for profiles in ("cpu,nothing", "cpu,heap"):
        done = subprocess.run(
            [sys.executable, "-c", REQUESTED],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**environment, "STACKGLASS_PROFILE": profiles},
        )
        assert done.returncode == 0, done.stderr
        assert ("there is no profile 'nothing'" in done.stderr) == ("nothing" in profiles)
        assert (tmp_path / "out").exists() == ("nothing" not in profiles)
    assert done.stderr == ""
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "cpu.pb.gz",
        "heap.pb.gz",
    ]
    assert sum_of(tmp_path / "out" / "cpu.pb.gz", "<module>", 1) >= 100_000_000
    assert (
        sum_of(tmp_path / "out" / "heap.pb.gz", "<listcomp>", 3)
        + sum_of(tmp_path / "out" / "heap.pb.gz", "<module>", 3)
        >= 2_000_000
    )


SO_FAR = """
import sys, time
import stackglass

def spin():
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass

def spin_later():
    spin()

stackglass.start_cpu_profile(sys.argv[3])
spin()
stackglass.lookup("cpu").write_to(sys.argv[1])
spin_later()
stackglass.lookup("cpu").write_to(sys.argv[2])
stackglass.stop_cpu_profile()
"""


@some_pythons
def test_a_profile_that_runs_is_written_as_far_as_it_has_come(
    python: Python, tmp_path: Path
) -> None:
    """Each file has what the last one had, and what came since; none has anything twice."""
    paths = [tmp_path / name for name in ("first", "second", "whole")]
    subprocess.run(
        [python.executable, "-c", SO_FAR, *map(str, paths)],
        check=True,
        env={"PYTHONPATH": str(FOLDER.parents[1] / "core")},
    )
    first, second, whole = (
        [sum_of(path, name, 1) for name in (".spin", "_later")] for path in paths
    )
    assert first[1] == 0 < second[1] <= whole[1]
    assert 100_000_000 < first[0] < second[0] - second[1] + 50_000_000
    assert whole[0] < 700_000_000, "0.4 s of CPU time were used"


SERVED = """
import asyncio, threading, urllib.request
import stackglass
stackglass.set_block_profile_rate(1)
with stackglass.serve(0) as server:
    urllib.request.urlopen(server.url + "allocs?seconds=1").read()

async def receive():
    await asyncio.sleep(600)

async def send(message):
    pass

scope = {"type": "http", "method": "GET", "path": "/debug/pprof/allocs", "root_path": "",
         "query_string": b"seconds=1", "headers": [(b"host", b"localhost")]}
asyncio.run(stackglass.asgi_app()(scope, receive, send))

def own_wait():
    threading.Event().wait(0.01)

own_wait()
print(stackglass.lookup("block").encode(1).decode())
"""


def test_a_request_that_waits_is_no_wait_of_the_program() -> None:
    """What `seconds` lasts is not in the block profile: it would hide the program's own waits."""
    done = subprocess.run(
        [sys.executable, "-c", SERVED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "own_wait+" in done.stdout
    assert "endpoints.respond+" not in done.stdout


OWN_WORK = """
import sys, time
import stackglass
from stackglass.native import _core
def burn():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        sum(range(1000))
def burn_for_the_engine():
    burn()
def rest_for_the_engine():
    time.sleep(0.3)
with stackglass.wall_profile(sys.argv[1]):
    burn()
    _core.begin_exempt()
    burn_for_the_engine()
    rest_for_the_engine()
    _core.end_exempt()
"""


@some_pythons
def test_what_a_thread_does_for_the_engine_has_one_name(python: Python, tmp_path: Path) -> None:
    """Running and asleep; none of the frames is the program's, and no time is lost."""
    path = tmp_path / "wall.pb.gz"
    done = subprocess.run(
        [python.executable, "-c", OWN_WORK, path],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(FOLDER.parents[1] / "core")},
    )
    assert done.returncode == 0, done.stderr
    assert sum_of(path, "for_the_engine", 1) == 0
    assert sum_of(path, "burn", 1) >= 100_000_000
    assert sum_of(path, "<stackglass>", 1) >= 300_000_000


WRITES_ON_A_SIGNAL = """
import os, signal, stackglass, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
def first():
    burn(0.3)
def second():
    burn(0.2)
first()
os.kill(os.getpid(), signal.SIGUSR1)
deadline = time.monotonic() + 60
while not os.path.exists("out/heap.pb.gz") and time.monotonic() < deadline:
    time.sleep(0.01)
os.rename("out", "so-far")
second()
"""


def test_a_signal_writes_what_was_recorded_so_far(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(FOLDER.parents[1] / "core"),
        "STACKGLASS_PROFILE": "cpu,heap",
        "STACKGLASS_OUTPUT": "out",
        "STACKGLASS_SIGNAL": "USR1",
    }
    command = [sys.executable, "-c", WRITES_ON_A_SIGNAL]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    so_far, whole = tmp_path / "so-far" / "cpu.pb.gz", tmp_path / "out" / "cpu.pb.gz"
    assert sum_of(so_far, "first", 1) >= 150_000_000
    assert sum_of(so_far, "second", 1) == 0
    assert sum_of(whole, "first", 1) == sum_of(so_far, "first", 1)
    assert sum_of(whole, "second", 1) >= 100_000_000


@pytest.mark.checklist(42, 62, 73, 97, 98)
@some_pythons
def test_a_program_takes_every_profile_of_itself(python: Python, tmp_path: Path) -> None:
    """Checklist 42, 62, 73, 97 and 98: rates are read and set as Go's are, off keeps the totals,
    and pprof reads the files."""
    seen = run_target(python, "own_profiles.py", tmp_path)
    assert seen["old"] == [0, 0, 0, 0, 1]
    assert seen["read"] == [2, 1, 1, 100]
    assert seen["threads_after_snapshot"] == 1, "the engine leaves with its last client"
    assert seen["threads_after_withdrawal"] == seen["threads_after_scope"] == 1
    # The engine's last thread may not have begun to end when the call returns.
    assert seen["threads_just_after"] <= 2
    assert seen["withdrawal_s"] < 4, "nothing waits for names that no client gets"
    assert seen["descriptors"] == []
    (name,) = seen["thread_names"]
    assert name.endswith('"MainThread" [running]:')
    assert seen["rate_after_scope"] == 1
    for name in NAMES:
        text = (tmp_path / f"{name}.1.txt").read_text()
        assert text.splitlines()[0].startswith(
            {"block": "--- contention:", "mutex": "--- mutex:", "gil": "--- mutex:"}.get(
                name, f"{'heap' if name == 'allocs' else name} profile: "
            )
        )
        # One thread waits for no GIL, a list of profiles does not search for leaks, and no CPU or
        # wall profile runs.
        assert seen["counts"][name] > 0 or name in ("cpu", "gil", "threadleak", "wall")
        SavedProfile.read(tmp_path / f"{name}.pb.gz")
    assert sum_of(tmp_path / "heap.pb.gz", ".allocate", 2) >= 500
    assert sum_of(tmp_path / "block.pb.gz", ".hold") >= 10
    assert sum_of(tmp_path / "mutex.pb.gz", ".hold") >= 10
    assert sum_of(tmp_path / "threads.pb.gz", "<module>") == 1
    assert sum_of(tmp_path / "threadcreate.pb.gz", ".contend") == 16
    assert sum_of(tmp_path / "threadcreate.pb.gz", ".contend", 1) == 0
    before = sum_of(tmp_path / "before_off.pb.gz", ".hold")
    assert before >= 10
    assert sum_of(tmp_path / "after_off.pb.gz", ".hold") == before
    assert sum_of(tmp_path / "alone.pb.gz", ".hold") >= 1
    n_threads, rate, n_block = json.loads((tmp_path / "child.json").read_text())
    assert (n_threads, rate) == (1, 0), "a forked child has no profiles"
    assert n_block > 0, "and may have its own"
    if python == SOME[-1]:
        check_go_reads(tmp_path)


@some_pythons
def test_blocks_of_code_overlap(python: Python, tmp_path: Path) -> None:
    """Each file has what its own block added and none of the engine's; rates come back."""
    seen = run_target(python, "own_scopes.py", tmp_path)
    rates = {name: seen.pop(f"after_{name}") for name in ("overlap", "both", "setting")}
    assert rates == {"overlap": [0, 0], "both": [0, 0], "setting": [0, 1]}
    assert seen.pop("depth") == 192
    assert max(len(row.stack) for row in SavedProfile.read(tmp_path / "deep.pb.gz").rows) > 800
    assert seen.pop("n_block") > 0, "the program's own rate goes on after the block"
    assert seen == {"child_wrote": False}
    for name, n_allocations in (("first", 2), ("second", 2), ("memory", 1), ("coroutine", 1)):
        path = tmp_path / f"{name}.pb.gz"
        n_objects = sum_of(path, ".allocate", 2)
        assert 2000 * n_allocations <= n_objects < 2000 * n_allocations + 10, name
        rows = SavedProfile.read(path).rows
        own = [row for row in rows if row.values[3] and row.stack[-1].startswith("stackglass.")]
        assert sum(row.values[3] for row in own) < 64 << 10, name  # what writing a file loads
    assert sum_of(tmp_path / "waits.pb.gz", ".hold") >= 1
    assert sum_of(tmp_path / "created.pb.gz", ".start_thread") == 2
    assert sum_of(tmp_path / "kept_alive.pb.gz", ".start_thread") == 1
    # A thread from before the block may end in it, a moment after its join: a row of its own.
    rows = SavedProfile.read(tmp_path / "kept_alive.pb.gz").rows
    assert [list(row.values) for row in rows if row.values[0]] == [[1, 1]], "it is alive"


def check_go_reads(folder: Path) -> None:
    """pprof accepts what the registry writes, protobuf and text."""
    for name in NAMES:
        raw = run_pprof("-raw", folder / f"{name}.pb.gz")
        assert "Mappings\n1: " in raw
        assert "[FN]" in raw.rpartition("Mappings")[2]
        run_pprof("-top", folder / f"{name}.1.txt")
    scope = run_pprof("-top", "-sample_index=alloc_objects", folder / "scope.pb.gz")
    assert "allocate" in scope
    assert "contend" not in scope, "only what the block of code added"


def count_releases(server: PprofServer) -> int:
    saved = SavedProfile(server.ask("/debug/pprof/mutex").body)
    return sum(row.values[0] for row in saved.rows)


@pytest.mark.attach
def test_one_engine_serves_the_program_and_a_client() -> None:
    """The client gets samples at its own rate; when it leaves, the program's rates stay."""
    with serve_python(NEWEST) as server:
        with Session(server.pid, hz=500) as session:
            session.wait_for_function("burn")
            assert count_releases(server) > 0
            session.detach()
        before = count_releases(server)
        time.sleep(0.5)
        assert count_releases(server) > before > 0


@some_pythons
def test_a_profile_can_be_written_at_exit(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "mutex.pb.gz"
    done = subprocess.run(
        [python.executable, str(FOLDER / "own_at_exit.py"), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sum_of(path, ".hold") > 0


STEADY = """
import sys, threading, time
import stackglass

def rest():
    threading.Event().wait()

for _ in range(3):
    threading.Thread(target=rest, daemon=True).start()
time.sleep(0.3)  # until each waits
request = {"REQUEST_METHOD": "GET", "QUERY_STRING": "seconds=1", "HTTP_HOST": "localhost"}
request["PATH_INFO"] = "/debug/pprof/" + sys.argv[1]
body = b"".join(stackglass.wsgi_app()(request, lambda *_: None))
open(sys.argv[2], "wb").write(body)
"""


@some_pythons
@pytest.mark.parametrize("name", ["threads", "goroutine"])
def test_threads_that_stay_are_no_difference(python: Python, name: str, tmp_path: Path) -> None:
    """The program has set no rate, so each of the two snapshots has an engine of its own."""
    path = tmp_path / "threads.pb.gz"
    done = subprocess.run(
        [python.executable, "-c", STEADY, name, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(FOLDER.parents[1] / "core")},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sum_of(path, "rest") == 0
    assert not [row for row in SavedProfile.read(path).rows if "rest" in str(row.stack)]
