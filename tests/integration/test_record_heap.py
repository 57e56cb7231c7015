"""``stackglass record --profile heap`` on real processes, with tracemalloc and pprof as judges."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, each_python, some_pythons
from harness.pprof_tables import read_go_top
from harness.pythons import Python
from harness.recorder import (
    PATIENCE_S,
    Terminal,
    drop_coverage,
    record,
    start_record,
    wait_until,
)
from harness.saved_profile import SavedProfile
from harness.targets import FOLDER, Target
from stackglass.record import child

pytestmark = pytest.mark.attach

FUNCTIONS = ("keep_blocks", "keep_texts", "keep_large")
INUSE_SPACE = 3  # position among the sample types
N_CYCLES = 500
LOAD_BYTES = 5000


class Recording:
    """A recording of a target that goes on; ``end`` interrupts it, which keeps it."""

    def __init__(self, target: Target, path: Path, *options: str) -> None:
        self._target = target
        self._terminal = Terminal()
        self._process = start_record(target.pid, "-o", path, *options, stderr=self._terminal.theirs)

    def wait_until_it_sees(self) -> None:
        """Until allocations of the target arrive; at rate 1 every question makes some."""

        def has_seen() -> bool:
            self._target.ask()
            return self._terminal.count_samples() > 0

        wait_until(has_seen, "a sample of the heap")

    def count_samples(self) -> int:
        """That have arrived."""
        return self._terminal.count_samples()

    def end(self) -> str:
        """What the terminal has shown in the end."""
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=PATIENCE_S)
        assert self._process.returncode == 0, self._terminal.read()
        return self._terminal.read().split("\r\x1b[K")[-1]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._terminal.__exit__(None, None, None)


@contextlib.contextmanager
def recording_of(target: Target, path: Path, *options: str) -> Iterator[Recording]:
    recording = Recording(target, path, "--profile", "heap", *options)
    try:
        recording.wait_until_it_sees()
        yield recording
    finally:
        recording.close()


@contextlib.contextmanager
def recording_of_busy(target: Target, path: Path) -> Iterator[None]:
    """One of a target that cannot be asked."""
    recording = Recording(target, path, "--profile", "heap", "--heap-rate", "1")
    try:
        wait_until(lambda: recording.count_samples() > 0, "a sample of the heap")
        yield
        recording.end()
    finally:
        recording.close()


def last(name: str) -> str:
    return name.removesuffix(".<locals>.<listcomp>").rpartition(".")[2]


def test_stacks_of_a_process_are_as_deep_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    with Target(NEWEST, "live_heap.py", has_stdin=True) as target:
        with recording_of(target, path, "--heap-rate", "1", "--stack-depth", "1024") as recording:
            target.ask("descend")
            recording.end()
        target.finish()
    (stack,) = (row.stack for row in SavedProfile.read(path).rows if row.values[1] > 3 << 20)
    assert [last(name) for name in stack] == ["<module>", *["descend"] * 701, "keep_large"]


@pytest.mark.checklist(38)
@each_python
def test_a_known_live_set_is_what_tracemalloc_says(python: Python, tmp_path: Path) -> None:
    """Checklist 38: in use to the byte, or within 1 % where an object came from a free list."""
    path = tmp_path / "heap.pb.gz"
    with Target(python, "live_heap.py", has_stdin=True) as target:
        traced = target.ask("trace")
        with recording_of(target, path, "--heap-rate", "1") as recording:
            target.ask("build")
            target.ask("build")
            target.ask("drop")
            target.ask("build")
            said = recording.end()
        target.finish()
    profile = SavedProfile.read(path)
    judged: dict[str, int] = {}
    for name, (flat, _) in read_go_top(path, INUSE_SPACE, "bytes").items():
        judged[last(name)] = judged.get(last(name), 0) + flat
    for function in FUNCTIONS:
        alloc_objects, alloc_bytes, objects, inuse_bytes = profile.sum_heap(function)
        assert inuse_bytes == pytest.approx(traced[function], rel=0.01), function
        assert judged[function] == inuse_bytes, function
        # Beside what is kept: a list that grows is allocated again and again, texts are joined.
        assert 0.99 <= alloc_bytes / (3 * inuse_bytes) < 1.5, function
        assert alloc_objects >= 3 * objects * 0.99, function
    assert said.startswith(f"{path}: ")
    assert "accounted" in said


@pytest.mark.checklist(43)
@some_pythons
def test_a_known_live_set_at_a_rate(python: Python, tmp_path: Path) -> None:
    """Checklist 43: unsampled, within 4 sigma of what it is."""
    path = tmp_path / "heap.pb.gz"
    rate = 4096
    with Target(python, "live_heap.py", has_stdin=True) as target:
        traced = target.ask("trace")
        with recording_of(target, path, "--heap-rate", str(rate)) as recording:
            target.ask("build")
            recording.end()
        target.finish()
    inuse_bytes = SavedProfile.read(path).sum_heap("build")[3]
    known_bytes = sum(traced[function] for function in FUNCTIONS)
    # A sample for every `rate` bytes: the square root of their number is the sigma.
    sigma = rate * (known_bytes / rate) ** 0.5
    assert abs(inuse_bytes - known_bytes) < 4 * sigma


@pytest.mark.checklist(48, 51)
@some_pythons
def test_a_collection_first(python: Python, tmp_path: Path) -> None:
    """Checklist 48, 51: cycles are in use until they are collected, which ``--gc`` does, though
    the program has switched its collector off."""
    in_use = {}
    for options in ((), ("--gc",)):
        path = tmp_path / f"heap{len(options)}.pb.gz"
        with Target(python, "live_heap.py", has_stdin=True) as target:
            with recording_of(target, path, "--heap-rate", "1", *options) as recording:
                target.ask("tangle")
                target.ask("build")
                recording.end()
            target.finish()
        in_use[options] = SavedProfile.read(path).sum_heap("tangle")
        assert SavedProfile.read(path).sum_heap("keep_large")[3] >= 3 << 20
    assert in_use[()][3] >= N_CYCLES * LOAD_BYTES
    assert in_use["--gc",][3] < LOAD_BYTES  # up to 3.10 a function keeps its last frame
    assert in_use["--gc",][1] >= N_CYCLES * LOAD_BYTES


@pytest.mark.checklist(46, 47, 48)
@some_pythons
@pytest.mark.parametrize("has_collection", [False, True])
def test_as_of_the_last_collection(python: Python, has_collection: bool, tmp_path: Path) -> None:
    """Checklist 46-48: what came after it is not there yet; with a collection at the end it is."""
    path = tmp_path / "heap.pb.gz"
    options = ["--heap-rate", "1", "--as-of-gc", *(["--gc"] if has_collection else [])]
    with Target(python, "live_heap.py", has_stdin=True) as target:
        with recording_of(target, path, *options) as recording:
            target.ask("build")
            target.ask("collect")
            target.ask("drop")
            target.ask("tangle")
            said = recording.end()
        target.finish()
    profile = SavedProfile.read(path)
    assert (profile.sum_heap("keep_large")[3] >= 3 << 20) is not has_collection
    assert (profile.sum_heap("tangle")[1] > 0) is has_collection
    assert "no full collection" not in said


@pytest.mark.checklist(46)
def test_without_a_collection_there_is_one_view(tmp_path: Path) -> None:
    """Checklist 46: and it is said."""
    path = tmp_path / "heap.pb.gz"
    program = "kept = [bytes(1000) for _ in range(3000)]"
    words = ["--profile", "heap", "--as-of-gc", "--heap-rate", "1", "-o", path]
    status, out, err = record(*words, "--", NEWEST.executable, "-c", program)
    assert (status, out) == (0, "")
    assert "no full collection was seen" in err
    assert SavedProfile.read(path).sum_heap()[3] > 3000 * 1000


@pytest.mark.checklist(45, 53, 58)
@some_pythons
def test_several_profiles_of_a_command(python: Python, tmp_path: Path) -> None:
    """Checklist 45, 53, 58: from the first line on, into a folder; heap and allocs hold the same,
    and nothing that the engine's start allocated."""
    folder = tmp_path / "profiles"
    program = (
        f"import sys; sys.path.insert(0, {str(FOLDER)!r})\n"
        "def hold(): return [bytes(1000) for _ in range(3000)]\n"
        "kept = hold()\n"
        "hold()\n"
        "end = __import__('time').process_time() + 0.1\n"
        "while __import__('time').process_time() < end: pass\n"
    )
    words = ["--profile", "cpu", "--profile", "heap", "--profile", "allocs", "--heap-rate", "1"]
    status = record(*words, "-o", folder, "--", python.executable, "-c", program)
    assert status == (0, "", "")
    assert sorted(os.listdir(folder)) == ["allocs.pb.gz", "cpu.pb.gz", "heap.pb.gz"]
    heap = SavedProfile.read(folder / "heap.pb.gz")
    allocs = SavedProfile.read(folder / "allocs.pb.gz")
    assert heap.rows == allocs.rows
    assert (heap.default_type, allocs.default_type) == ("inuse_space", "alloc_space")
    _, alloc_bytes, _, inuse_bytes = heap.sum_heap("hold")
    assert inuse_bytes == pytest.approx(3000 * 1033, rel=0.02)
    assert 0.99 <= alloc_bytes / (2 * inuse_bytes) < 1.2
    assert "hold" in run_pprof("-alloc_space", "-top", folder / "heap.pb.gz")
    first_line = Path(child.__file__).with_name("startup_payload.py").read_text()
    own = set(re.findall(r"^def (_\w+)", first_line, re.MULTILINE))
    assert "_start_engine" in own
    assert not {last(name) for row in heap.rows for name in row.stack} & own
    assert SavedProfile.read(folder / "cpu.pb.gz").default_type == "cpu"


def test_the_rates_of_who_watches_are_left_alone(tmp_path: Path) -> None:
    """A heap recording beside a CPU recording changes nothing of it, and the other way round."""
    cpu, heap = tmp_path / "cpu.pb.gz", tmp_path / "heap.pb.gz"
    with Target(NEWEST, "busy.py") as target:
        first = start_record(target.pid, "-o", cpu, "--duration", "2.5", "--cpu-hz", "1000")
        assert record(target.pid, "--profile", "heap", "-o", heap, "--duration", "1") == (0, "", "")
        _, err = first.communicate(timeout=PATIENCE_S)
        assert (first.returncode, drop_coverage(err.decode())) == (0, "")
        target.finish()
    assert SavedProfile.read(cpu).message.period == 10**6
    assert SavedProfile.read(cpu).n_samples > 50
    assert SavedProfile.read(heap).message.period == 512 * 1024


def test_a_cpu_recording_joins_one_of_the_heap(tmp_path: Path) -> None:
    """The engine that the first one brought does not sample the CPU until a client asks."""
    cpu, heap = tmp_path / "cpu.pb.gz", tmp_path / "heap.pb.gz"
    with Target(NEWEST, "busy.py") as target:
        with recording_of_busy(target, heap):
            assert record(target.pid, "-o", cpu, "--duration", "1") == (0, "", "")
        target.finish()
    assert SavedProfile.read(cpu).n_samples > 0
    assert SavedProfile.read(cpu).message.period == 10**7


@pytest.mark.checklist(55, 58)
def test_text_goes_where_it_is_asked_for(tmp_path: Path) -> None:
    """Checklist 55, 58."""
    path = tmp_path / "heap.txt"
    program = "kept = [bytes(1000) for _ in range(3000)]"
    words = ["--profile", "heap", "--text", "--heap-rate", "4096", "-o", path]
    assert record(*words, "--", NEWEST.executable, "-c", program) == (0, "", "")
    first, *_ = path.read_text().splitlines()
    assert first.startswith("heap profile: ")
    assert first.endswith("@ heap/8192")
    assert "Type: inuse_space" in run_pprof("-top", path)
    assert "Type: alloc_space" in run_pprof("-alloc_space", "-top", path)


def test_a_collection_needs_a_program_that_goes_on(tmp_path: Path) -> None:
    words = ["--profile", "heap", "--gc", "-o", tmp_path / "heap.pb.gz"]
    status, _, err = record(*words, "--", NEWEST.executable, "-c", "pass")
    assert status == 2
    assert "--duration" in err
