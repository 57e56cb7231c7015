"""Memory that extension modules get past Python's allocators, in attached processes.

A numpy array of 1 GiB stands at the Python line that made it, for who watches and in what
``stackglass record`` writes. numpy is the target's own, or that of ``packaging/target_packages
numpy``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, each_python
from harness.pythons import Python, list_numpy_environment
from harness.recorder import record
from harness.saved_profile import SavedProfile
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach

GIB = 1 << 30
HEAP = ("--profile", "heap")
PROGRAM = "numpy_array.py"


def start_target(python: Python) -> Target:
    """Skips where this Python has no numpy."""
    target = Target(python, PROGRAM, has_stdin=True, **list_numpy_environment(python))
    if not target.ready["has_numpy"]:
        target.close()
        pytest.skip("there is no numpy for this Python: packaging/target_packages numpy")
    return target


def make_array(target: Target) -> int:
    """One more array; the line that made it."""
    answer = target.ask("make")
    if "is_refused" in answer:
        pytest.skip("there is no memory for an array of 1 GiB")
    return int(answer["line"])


def sum_arrays(session: Session) -> tuple[int, int]:
    """Objects and bytes in use by ``make_array`` as the wire has them."""
    return session.sum_heap("make_array")[2:]


@each_python
def test_numpy_array_stands_at_the_line_that_made_it(python: Python, tmp_path: Path) -> None:
    """A GiB at 512 KiB on average is missed once in e^2048: as good as exact."""
    path = tmp_path / "heap.pb.gz"
    with start_target(python) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(512 * 1024)
            status = session.wait_for_heap()
            if status.native_problem:
                pytest.skip(status.native_problem)
            assert status.n_native_libraries > 0
            line = make_array(target)
            session.wait_for_heap(lambda status: status.accounted_bytes >= GIB)
            assert sum_arrays(session) == (1, GIB)
            make_array(target)
            session.wait_for_heap(lambda status: status.accounted_bytes >= 2 * GIB)
            assert sum_arrays(session) == (2, 2 * GIB)
            # A late client receives it all.
            assert record(*HEAP, "-o", path, "--duration", "0.2", target.pid) == (0, "", "")
            target.ask("drop")
            session.wait_for_heap(lambda status: status.accounted_bytes < GIB)
            assert sum_arrays(session) == (0, 0)
            session.detach()
        target.finish()
    assert read_line(path, "make_array", line) == 2 * GIB


def read_line(path: Path, function: str, line: int) -> int:
    """Bytes in use by a line of a function, as ``go tool pprof`` has it."""
    judged = run_pprof("-inuse_space", "-lines", "-top", "-unit=B", path)
    rows = re.findall(rf"^ *(\d+)B .*[ .]{function} \S*:{line}$", judged, re.MULTILINE)
    assert len(rows) <= 1, judged
    return int(rows[0]) if rows else 0


def test_a_command_is_followed_from_its_first_line_on(tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    with start_target(NEWEST):
        pass
    folders = list(list_numpy_environment(NEWEST).values())
    program = (
        f"import sys; sys.path += {folders}; import numpy\n"
        f"def hold(): return numpy.empty({GIB}, dtype='u1')\n"
        "kept = hold()\n"
    )
    words = [*HEAP, "-o", path, "--", NEWEST.executable, "-c", program]
    assert record(*words) == (0, "", "")
    assert read_line(path, "hold", 2) == GIB
    assert "native memory: as " in run_pprof("-comments", path)


def test_who_wants_none_of_it_leaves_import_tables_alone(tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    words = [*HEAP, "-o", path, "--duration", "0.2", "--no-native-memory"]
    with Target(NEWEST, "mirror.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(4096, has_native=False)
            assert target.ask()["imports_redirected"] == []
            status = session.wait_for_heap()
            assert (status.is_native_seen, status.n_native_libraries) == (0, 0)
            assert status.native_problem.endswith("was not requested")
            assert record(*words, target.pid) == (0, "", "")
            assert target.ask()["imports_redirected"] == []
            assert "native memory: left out" in run_pprof("-comments", path)
            session.set_heap_rate(4096)  # a client wants it after all
            assert target.ask()["imports_redirected"] != []
            session.set_heap_rate(4096, has_native=False)
            assert session.wait_for_heap().is_native_seen == 1
            session.detach()
        assert target.ask()["imports_redirected"] == []
        target.finish()


def test_a_recording_without_it_leaves_out_what_another_client_has_asked_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "heap.pb.gz"
    with start_target(NEWEST) as target:
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(512 * 1024)
            make_array(target)
            session.wait_for_heap(lambda status: status.accounted_bytes >= GIB)
            words = [*HEAP, "-o", path, "--duration", "0.2", "--no-native-memory"]
            assert record(*words, target.pid) == (0, "", "")
            session.detach()
        target.finish()
    assert SavedProfile.read(path).sum_heap("make_array") == (0, 0, 0, 0)


def test_memory_of_the_process_is_split(tmp_path: Path) -> None:
    """What was there before, what is accounted, and what remains; beside the samples, not as one
    of them."""
    path, text = tmp_path / "heap.pb.gz", tmp_path / "heap.txt"
    with Target(NEWEST, "live_heap.py", has_stdin=True) as target:
        target.ask("build")  # older than the attach
        with Session(target.pid, hz=0) as session:
            session.set_heap_rate(1)
            for _ in range(3):
                target.ask("build")
            status = session.wait_for_heap(lambda status: status.accounted_bytes > 9 << 20)
            assert status.attach_rss_bytes > 3 << 20
            known_bytes = status.attach_rss_bytes + status.accounted_bytes
            assert status.unaccounted_bytes == status.rss_bytes - known_bytes
            for options in (["-o", path], ["-o", text, "--text"]):
                words = [*HEAP, "--duration", "0.2", *options, target.pid]
                assert record(*words) == (0, "", "")
            session.detach()
        target.finish()
    before = f"<before attach> = {status.attach_rss_bytes}"
    comments = run_pprof("-comments", path).splitlines()
    assert before in comments
    assert f"# {before}" in text.read_text().splitlines()
    figures = dict(line.split(" = ") for line in comments if " = " in line)
    assert int(figures["unaccounted"]) == int(figures["resident"]) - int(
        figures["<before attach>"]
    ) - int(figures["accounted"])
    assert SavedProfile.read(path).sum_heap("build")[3] < status.accounted_bytes
    assert run_pprof("-top", text)  # which reads past them
