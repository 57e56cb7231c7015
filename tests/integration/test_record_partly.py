"""Recordings of which a part cannot be had, and what they say of what they have."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.recorder import record, run_command, start_record, wait_until
from harness.saved_profile import SavedProfile
from harness.session import Session
from harness.targets import Target
from stackglass.wire import requests

pytestmark = pytest.mark.attach

PARTLY = 4
PROFILES = ("cpu", "heap", "block", "mutex", "gil")
WORDS = [word for profile in PROFILES for word in ("--profile", profile)]


@each_python
def test_one_profile_that_is_refused_costs_no_other(python: Python, tmp_path: Path) -> None:
    with Target(python, "refused_locks.py") as target:
        status, out, errors = record(target.pid, *WORDS, "--duration", "1", "-o", tmp_path)
        assert (status, out) == (PARTLY, "")
        line = "not recorded: block and mutex (the methods of locks cannot be replaced)"
        assert f"stackglass: {line}\n" in errors
        written = {path.name: gzip.decompress(path.read_bytes()) for path in tmp_path.iterdir()}
        assert set(written) == {"cpu.pb.gz", "heap.pb.gz", "gil.pb.gz"}
        assert b"__main__.work" in written["cpu.pb.gz"]
        assert b"__main__.work" in written["heap.pb.gz"]
        target.finish()


@some_pythons
def test_where_all_are_refused_it_fails_at_once(python: Python, tmp_path: Path) -> None:
    path = tmp_path / "block.pb.gz"
    with Target(python, "refused_locks.py") as target:
        status, _, errors = record(
            target.pid, "--profile", "block", "--duration", "3600", "-o", path
        )
        assert status == 1
        assert (
            errors == "stackglass: not recorded: block (the methods of locks cannot be replaced)\n"
        )
        assert not path.exists()
        target.finish()


@some_pythons
def test_a_refused_profile_costs_no_other_client(python: Python) -> None:
    with Target(python, "refused_locks.py") as target, Session(target.pid, hz=100) as first:
        first.set_heap_rate(4096)
        with Session(target.pid, hz=200) as second:
            second._connection.send(requests.encode_set_contention_rates(1, 1, 50))
            while second.contention.status is None or not second.contention.status.problem:
                second.read_for(0.05)
            assert second.contention.status.gil_problem == ""
            second.detach()
        first.wait_for_samples(10)
        first.wait_for_heap(lambda status: status.n_samples > 0)
        first.detach()
        target.finish()


@some_pythons
def test_a_recorder_that_ends_leaves_the_other_its_profiles(python: Python, tmp_path: Path) -> None:
    """Two on one process: the second joins the first, and outlives it."""
    cpu, heap = tmp_path / "cpu.pb.gz", tmp_path / "heap.pb.gz"
    with Target(python, "busy.py") as target:
        with Session(target.pid, hz=0) as watcher:
            first = start_record(target.pid, "--profile", "heap", "-o", heap, "--duration", "600")
            wait_for_rates(watcher, heap_rate=512 * 1024, cpu_hz=0)
            second = start_record(target.pid, "--cpu-hz", "500", "-o", cpu, "--duration", "600")
            wait_for_rates(watcher, heap_rate=512 * 1024, cpu_hz=500)
            first.terminate()
            assert first.communicate(timeout=60.0) == (b"", b"")
            wait_for_rates(watcher, heap_rate=0, cpu_hz=500)
            watcher.read_for(0.5)
            second.terminate()
            assert second.communicate(timeout=60.0) == (b"", b"")
            wait_for_rates(watcher, heap_rate=0, cpu_hz=0)
            watcher.detach()
        target.finish()
    assert (first.returncode, second.returncode) == (0, 0)
    profile = SavedProfile.read(cpu)
    assert profile.message.duration_nanos >= 400_000_000
    assert heap.exists()


def wait_for_rates(session: Session, heap_rate: int, cpu_hz: int) -> None:
    def is_so() -> bool:
        session.read_for(0.05)
        rates = session.rates
        return rates is not None and (rates.heap_rate, rates.cpu_hz) == (heap_rate, cpu_hz)

    wait_until(is_so, f"heap {heap_rate}, cpu {cpu_hz}")


@some_pythons
def test_what_was_covered_is_what_the_file_says(python: Python, tmp_path: Path) -> None:
    """Duration and samples are of one span: from the first sample on, to the detach."""
    path = tmp_path / "cpu.pb.gz"
    with Target(python, "busy.py") as target:
        words = ("--duration", "2", "--cpu-hz", "1000", "-o", path)
        status, _, errors = run_command("record", target.pid, *words)
        target.finish()
    assert status == 0
    covered_s = SavedProfile.read(path).message.duration_nanos / 1e9
    assert covered_s >= 2.0
    said = re.fullmatch(r"stackglass: requested 2 s, recorded: cpu (.*) s\n", errors)
    assert (said is not None) == (covered_s > 3.0)
    if said:
        assert float(said[1]) == pytest.approx(covered_s, abs=0.06)
