"""Whether a signal would end a process, seen at the states of its main thread one after another."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.fake_proc import FakeProc
from stackglass.native import _core
from stackglass.record import expected_signals
from stackglass.record.expected_signals import is_expected

PID = 7
NUMBER = signal.SIGUSR1
MASK = 1 << (NUMBER - 1)
IN_HANDLER = 0xFFFFFFFEFFFBFEFF  # the mask while the engine's handler runs
IN_ENTRY = IN_HANDLER | 1 << 32
ALL = IN_HANDLER & ~(1 << 31)  # that of a program that blocks all signals


class Look(NamedTuple):
    """What ``/proc`` shows at a look."""

    mask: int = 0
    wchan: str = "0"


class Process:
    """A process that is in one state after another; in the last one for ever."""

    def __init__(self, root: Path) -> None:
        self.fake = FakeProc(root)
        self.fake.add(PID)
        self.n_pauses = 0

    def looks_expected(self, looks: Iterable[Look]) -> bool:
        left = iter(looks)
        self.show(next(left))
        return is_expected(PID, NUMBER, lambda: self.go_on(left), self.fake.proc)

    def go_on(self, left: Iterator[Look]) -> None:
        self.n_pauses += 1
        look = next(left, None)
        if look is not None:
            self.show(look)

    def show(self, look: Look) -> None:
        folder = self.fake.root / str(PID)
        lines = (folder / "status").read_text().splitlines()
        kept = [line for line in lines if "SigBlk" not in line]
        (folder / "status").write_text("\n".join([*kept, f"SigBlk:\t{look.mask:016x}\n"]))
        (folder / "wchan").write_text(look.wchan)


@pytest.fixture
def process(tmp_path: Path) -> Process:
    return Process(tmp_path)


@pytest.mark.parametrize("mask", [IN_HANDLER, IN_ENTRY])
def test_a_thread_that_stands_still_in_the_engines_code_expects_nothing(
    process: Process, mask: int
) -> None:
    """On a busy machine it may be without a processor for longer than all looks take."""
    assert not process.looks_expected([Look(mask)])
    assert process.n_pauses == expected_signals._MOST_LOOKS


def test_a_thread_that_is_often_seen_in_the_engines_handler_expects_nothing(
    process: Process,
) -> None:
    """At 1 kHz and on a busy machine six of eleven looks were like that."""
    assert not process.looks_expected(Look(IN_HANDLER if n % 5 else 0) for n in range(99))


@pytest.mark.parametrize("mask", [MASK, ALL])
def test_a_thread_that_blocks_the_signal_expects_it(process: Process, mask: int) -> None:
    assert process.looks_expected([Look(mask)])
    assert process.n_pauses == expected_signals._LOOKS - 1


def test_it_is_seen_between_the_engines_samples(process: Process) -> None:
    assert process.looks_expected(Look(IN_HANDLER if n % 5 else ALL) for n in range(99))


def test_a_signal_that_is_blocked_now_and_then_is_not_expected(process: Process) -> None:
    """As while the program runs a handler of its own."""
    assert not process.looks_expected(Look(0 if n % 3 else MASK) for n in range(99))


def test_a_thread_that_awaits_the_signal_expects_it(process: Process) -> None:
    assert process.looks_expected([Look(0, "do_sigtimedwait")])


def test_a_process_that_has_ended_expects_nothing(process: Process) -> None:
    assert not is_expected(PID + 1, NUMBER, lambda: None, process.fake.proc)


def test_the_engines_handler_blocks_a_signal_of_the_library() -> None:
    text = Path(_core.__file__).with_name("cpu").joinpath("signals.h").read_text()
    (bits, shift) = re.findall(r"SG_SIGNALS_HANDLER_MARK \(UINT64_C\((\d)\) << (\d+)\)", text)[0]
    assert int(bits) << int(shift) & expected_signals._OF_LIBRARY
