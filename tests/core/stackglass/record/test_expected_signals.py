"""Whether a signal would end a process, seen at the states of its main thread one after another."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.fake_proc import FakeProc
from stackglass.record import expected_signals
from stackglass.record.expected_signals import is_expected

PID = 7
NUMBER = signal.SIGUSR1
MASK = 1 << (NUMBER - 1)
FULL = 0xFFFFFFFEFFFBFEFF  # while the engine's handler runs


class Look(NamedTuple):
    """What ``/proc`` shows at a look."""

    mask: int = 0
    state: str = "R"
    ran_ns: int = 0
    wchan: str = "0"


class Process:
    """A process that is in one state after another; in the last one for ever."""

    def __init__(self, root: Path) -> None:
        self.fake = FakeProc(root)
        self.fake.add(PID)
        self.n_looks = 0

    def looks_expected(self, looks: Iterable[Look]) -> bool:
        left = iter(looks)
        self.show(next(left))
        return is_expected(PID, NUMBER, lambda: self.go_on(left), self.fake.proc)

    def go_on(self, left: Iterator[Look]) -> None:
        self.n_looks += 1
        look = next(left, None)
        if look is not None:
            self.show(look)

    def show(self, look: Look) -> None:
        folder = self.fake.root / str(PID)
        status = folder / "status"
        lines = [line for line in status.read_text().splitlines() if "SigBlk" not in line]
        status.write_text("\n".join([*lines, f"SigBlk:\t{look.mask:016x}\n"]))
        task = folder / "task" / str(PID)
        stat = (task / "stat").read_text().split(" ", 3)
        (task / "stat").write_text(" ".join((*stat[:2], look.state, stat[3])))
        (task / "schedstat").write_text(f"{look.ran_ns} 0 1\n")
        (folder / "wchan").write_text(look.wchan)


@pytest.fixture
def process(tmp_path: Path) -> Process:
    return Process(tmp_path)


def test_a_thread_that_stands_still_in_a_handler_expects_nothing(process: Process) -> None:
    """On a busy machine it may be without a processor for longer than all looks take."""
    assert not process.looks_expected([Look(FULL, ran_ns=5)])
    assert process.n_looks == expected_signals._MOST_LOOKS


def test_a_thread_that_is_often_seen_in_the_engines_handler_expects_nothing(
    process: Process,
) -> None:
    """At 1 kHz and on a busy machine six of eleven looks were like that."""
    looks = (Look(FULL if n % 5 else 0, ran_ns=n) for n in range(1, 99))
    assert not process.looks_expected(looks)


def test_a_thread_that_runs_with_all_signals_blocked_expects_them(process: Process) -> None:
    assert process.looks_expected(Look(FULL, ran_ns=n) for n in range(1, 99))


def test_a_thread_that_runs_and_blocks_the_signal_expects_it(process: Process) -> None:
    assert process.looks_expected(Look(MASK, ran_ns=n) for n in range(1, 99))
    assert process.n_looks == expected_signals._LOOKS - 1


def test_few_looks_at_a_busy_machine_are_enough_if_all_agree(process: Process) -> None:
    looks = [Look(MASK, ran_ns=n) for n in range(1, 6)]
    assert process.looks_expected(looks)
    once_open = [Look(ran_ns=1), *looks[1:]]
    assert not process.looks_expected(once_open)


def test_signals_that_are_blocked_now_and_then_are_not_expected(process: Process) -> None:
    looks = (Look(0 if n % 3 else MASK, ran_ns=n) for n in range(1, 99))
    assert not process.looks_expected(looks)


def test_a_thread_that_sleeps_with_the_signal_blocked_expects_it(process: Process) -> None:
    """The engine's handler never sleeps."""
    assert process.looks_expected([Look(MASK, state="S", ran_ns=5)])


def test_a_thread_that_awaits_the_signal_expects_it(process: Process) -> None:
    assert process.looks_expected([Look(state="S", wchan="do_sigtimedwait", ran_ns=5)])


def test_without_times_a_thread_that_runs_expects_nothing(process: Process) -> None:
    assert not process.looks_expected(chain([Look(MASK)], repeat(Look(MASK), 3)))


def test_a_process_that_has_ended_expects_nothing(process: Process) -> None:
    assert not is_expected(PID + 1, NUMBER, lambda: None, process.fake.proc)
