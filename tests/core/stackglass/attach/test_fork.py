"""When a forked process is past its fork, over a /proc of our own making."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach import fork
from stackglass.attach import target as targets
from stackglass.attach.errors import BusyTargetError, NoSuchProcessError, ReplacedError
from stackglass.attach.fork import LEAST_AGE_NS, LEAST_CPU_NS
from stackglass.attach.python_build import PythonBuild
from stackglass.attach.target import Target

FORKED = 0x40  # PF_FORKNOEXEC
NOW = 0  # a deadline that has passed
NEVER = 1 << 62


def never_sleep(_: float) -> None:
    pytest.fail("it waits")


@pytest.mark.parametrize(
    ("age_ns", "cpu_ns", "n_waits", "expected"),
    [
        (LEAST_AGE_NS, 0, 1, True),
        (LEAST_AGE_NS - 1, 0, 1, False),
        (LEAST_AGE_NS, LEAST_CPU_NS, 0, True),
        (LEAST_AGE_NS, LEAST_CPU_NS - 1, 0, False),
        (10 * LEAST_AGE_NS, 0, 0, False),  # it has not had a processor yet
    ],
)
def test_age_and_a_wait_or_cpu_time(age_ns: int, cpu_ns: int, n_waits: int, expected: bool) -> None:
    assert fork.is_over(age_ns, cpu_ns, n_waits) is expected


def test_a_child_of_long_ago_is_not_waited_for(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=FORKED, start=0)
    fork.await_end(42, 0, NOW, fake.proc, never_sleep)


def test_one_that_has_not_run(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=FORKED, start=0, n_waits=0)
    with pytest.raises(BusyTargetError, match="forked a moment ago"):
        fork.await_end(42, 0, NOW, fake.proc, never_sleep)


def test_it_is_looked_at_until_it_has_waited(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=FORKED, start=0, n_waits=0)
    pauses = []

    def sleep(pause_s: float) -> None:
        pauses.append(pause_s)
        shutil.rmtree(tmp_path / "42")
        fake.add(42, flags=FORKED, start=0, n_waits=1 if len(pauses) == 3 else 0)

    fork.await_end(42, 0, NEVER, fake.proc, sleep)
    assert len(pauses) == 3


@pytest.mark.parametrize("change", [{"flags": 0}, {"start": 7}])
def test_another_program_meanwhile(tmp_path: Path, change: dict[str, int]) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=FORKED, start=0, n_waits=0)

    def sleep(_: float) -> None:
        shutil.rmtree(tmp_path / "42")
        fake.add(42, flags=change.get("flags", FORKED), start=change.get("start", 0))

    with pytest.raises(ReplacedError, match="began another program"):
        fork.await_end(42, 0, NEVER, fake.proc, sleep)


def test_one_that_ends(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=FORKED, state="Z")
    with pytest.raises(NoSuchProcessError, match="has ended"):
        fork.await_end(42, 5000, NEVER, fake.proc, never_sleep)


def test_an_executed_program_is_not_looked_at(tmp_path: Path) -> None:
    build = PythonBuild("3.13.0", 3, 13, False, "/lib/libpython3.13.so", 4096, True)
    targets.await_fork(Target(42, 5000, 1000, build), NOW, FakeProc(tmp_path).proc)
