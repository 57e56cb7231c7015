"""Profiles that the environment requests, beside an engine that is none."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from pathlib import Path

import pytest

from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.rates import ProgramRates
from stackglass.api.requested_profiles import RequestedProfiles, read_request
from stackglass.errors import UsageError
from stackglass.wire.recording import Recording


class FakeEngine:
    """Notes what it is asked; refuses the rates of one name."""

    def __init__(self, refused: str = "") -> None:
        self.asked: list[object] = []
        self._refused = refused

    def connect(self) -> int:
        raise AssertionError("snapshots are taken by the test")

    def set_own_rate(self, name: str, value: int, /) -> None:
        if name == self._refused:
            raise RuntimeError("the allocator is not known")
        self.asked.append((name, value))

    def withdraw(self) -> None:
        self.asked.append("withdraw")

    def self_profile_start(self, hz: int, clock: str, wall_hz: int, /) -> None:
        self.asked.append((hz, wall_hz))

    def self_profile_take(self) -> bytes | None:
        self.asked.append("take")
        return b""

    def self_profile_stop(self) -> bytes | None:
        return b""


def take(profile: str) -> Recording:
    return Recording(0, 0)


def record(engine: FakeEngine, environment: dict[str, str]) -> tuple[RequestedProfiles, list[str]]:
    said: list[str] = []
    request = read_request(environment)
    assert request is not None
    requested = RequestedProfiles(
        request, CpuProfiler(engine), ProgramRates(engine), take, said.append
    )
    requested.begin()
    return requested, said


def test_all_of_them_are_written_at_the_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = FakeEngine()
    requested, said = record(
        engine,
        {
            "STACKGLASS_PROFILE": "cpu, heap,block",
            "STACKGLASS_OUTPUT": "profiles/{pid}",
            "STACKGLASS_CPU_HZ": "250",
            "STACKGLASS_BLOCK_RATE": "1",
        },
    )
    monkeypatch.chdir("/")  # the program goes elsewhere
    requested.finish()
    assert said == []
    assert engine.asked == [(250, 0), ("heap", 512 * 1024), ("block", 1), "withdraw"]
    files = sorted(path.name for path in (tmp_path / "profiles" / str(os.getpid())).iterdir())
    assert files == ["block.pb.gz", "cpu.pb.gz", "heap.pb.gz"]


@pytest.mark.parametrize("output", ["new/", "new/{pid}/", "old"])
def test_one_profile_in_a_folder(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").mkdir()
    monkeypatch.chdir(tmp_path)
    requested, said = record(
        FakeEngine(), {"STACKGLASS_PROFILE": "mutex", "STACKGLASS_OUTPUT": output}
    )
    requested.finish()
    assert said == []
    folder = tmp_path / output.replace("{pid}", str(os.getpid()))
    assert [path.name for path in folder.iterdir()] == ["mutex.pb.gz"]


@pytest.mark.parametrize(
    ("word", "name"),
    [("/srv/serve.py", "serve"), ("/srv/app/__main__.py", "app"), ("-c", "python")],
)
def test_files_are_called_as_the_program(
    word: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = FakeEngine()
    requested, _ = record(engine, {"STACKGLASS_PROFILE": "wall", "STACKGLASS_WALL_HZ": "20"})
    monkeypatch.setattr(sys, "argv", [word])
    requested.finish()
    assert engine.asked == [(100, 20)]
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.{os.getpid()}.wall.pb.gz"]


def test_what_is_refused_is_said_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    requested, said = record(
        FakeEngine(refused="heap"),
        {"STACKGLASS_PROFILE": "heap,mutex", "STACKGLASS_OUTPUT": "{profile}.gz"},
    )
    assert said == ["the heap profile cannot be recorded: the allocator is not known"]
    requested.finish()
    assert len(said) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mutex.gz"]


def test_what_was_recorded_so_far_is_written_and_recording_goes_on(tmp_path: Path) -> None:
    engine = FakeEngine()
    output = f"{tmp_path}/{{profile}}"
    requested, said = record(
        engine, {"STACKGLASS_PROFILE": "cpu,mutex", "STACKGLASS_OUTPUT": output}
    )
    requested.write_so_far()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cpu", "mutex"]
    assert engine.asked == [(100, 0), ("mutex", 10), "take"]
    (tmp_path / "cpu").unlink()
    requested.finish()
    assert (tmp_path / "cpu").exists()
    assert (engine.asked[-1], said) == ("withdraw", [])


def test_a_signal_that_the_program_handles_is_left_to_it(tmp_path: Path) -> None:
    old = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    environment = {"STACKGLASS_PROFILE": "mutex", "STACKGLASS_OUTPUT": f"{tmp_path}/x"}
    try:
        requested, said = record(FakeEngine(), {**environment, "STACKGLASS_SIGNAL": "USR2"})
        requested.finish()
        assert said == ["STACKGLASS_SIGNAL: the program handles SIGUSR2 itself"]
        assert signal.getsignal(signal.SIGUSR2) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGUSR2, old)


class InterruptedEngine(FakeEngine):
    """Ctrl+C comes while the CPU profile is ended."""

    def __init__(self, n_times: int) -> None:
        super().__init__()
        self._n_times = n_times

    def self_profile_stop(self) -> bytes | None:
        for _ in range(self._n_times):
            signal.raise_signal(signal.SIGINT)
        return b""


@pytest.mark.parametrize("n_times", [1, 2])
def test_an_impatient_user_loses_no_profile(tmp_path: Path, n_times: int) -> None:
    """Ctrl+C, which ends the program, and again as files are written; the third time they are not,
    and no traceback of this package is shown."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
    try:
        requested, said = record(
            InterruptedEngine(n_times),
            {"STACKGLASS_PROFILE": "cpu,mutex", "STACKGLASS_OUTPUT": f"{tmp_path}/{{profile}}"},
        )
        requested.finish()
        handler = signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, old)
    if n_times == 1:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cpu", "mutex"]
        assert said == []
    else:
        assert said == ["interrupted again: some of the profiles are not written"]
    assert handler is signal.default_int_handler


@pytest.mark.parametrize("n_times", [0, 1])
def test_ctrl_c_just_before_it_is_held_counts_as_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_times: int
) -> None:
    """On a busy machine it interrupted the beginning of the exit, and all profiles were lost."""
    find_handler, n_early = signal.getsignal, [1]

    def interrupt_first(number: int) -> object:
        if n_early:
            n_early.pop()
            signal.raise_signal(signal.SIGINT)
        return find_handler(number)

    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        requested, said = record(
            InterruptedEngine(n_times),
            {"STACKGLASS_PROFILE": "cpu,mutex", "STACKGLASS_OUTPUT": f"{tmp_path}/{{profile}}"},
        )
        monkeypatch.setattr(signal, "getsignal", interrupt_first)
        requested.finish()
    finally:
        signal.signal(signal.SIGINT, old)
    names = sorted(path.name for path in tmp_path.iterdir())
    if n_times:
        assert said == ["interrupted again: some of the profiles are not written"]
    else:
        assert (names, said) == (["cpu", "mutex"], [])


def test_the_programs_own_handler_stays(tmp_path: Path) -> None:
    came: list[int] = []
    old = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        requested, _ = record(
            InterruptedEngine(2),
            {"STACKGLASS_PROFILE": "cpu", "STACKGLASS_OUTPUT": f"{tmp_path}/{{profile}}"},
        )
        requested.finish()
    finally:
        signal.signal(signal.SIGINT, old)
    assert came == 2 * [signal.SIGINT]
    assert (tmp_path / "cpu").exists()


def test_a_forked_child_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = FakeEngine()
    requested, _ = record(engine, {"STACKGLASS_PROFILE": "mutex"})
    monkeypatch.setattr(os, "getpid", lambda: -1)
    requested.finish()
    requested.write_so_far()
    assert engine.asked == [("mutex", 10)]
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    requested, said = record(
        FakeEngine(), {"STACKGLASS_PROFILE": "mutex", "STACKGLASS_OUTPUT": f"{path}/x.pb.gz"}
    )
    requested.finish()
    assert said == [f"cannot make the folder {path}: File exists"]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"STACKGLASS_PROFILE": "cpu,tasks"}, "there is no profile 'tasks': one of cpu, wall"),
        ({"STACKGLASS_PROFILE": "cpu,wall"}, "exclude each other"),
        (
            {"STACKGLASS_PROFILE": "cpu", "STACKGLASS_CPU_HZ": "1e3"},
            "STACKGLASS_CPU_HZ: '1e3' is not a number from 1 to 10000",
        ),
        ({"STACKGLASS_PROFILE": "gil", "STACKGLASS_SIGNAL": "HUP"}, "'HUP' is not one of USR1"),
        ({"STACKGLASS_PROFILE": "gil", "STACKGLASS_GIL_HZ": "1001"}, "a number from 1 to 1000"),
    ],
)
def test_what_makes_no_sense_is_refused(environment: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_request(environment)


@pytest.mark.parametrize("word", ["USR2", "SIGUSR2", "usr2"])
def test_a_signal_may_have_its_whole_name(word: str) -> None:
    request = read_request({"STACKGLASS_PROFILE": "gil", "STACKGLASS_SIGNAL": word})
    assert request is not None
    assert request.signal == signal.SIGUSR2


def test_without_the_variable_nothing_is_requested() -> None:
    assert read_request({"STACKGLASS_OUTPUT": "x", "STACKGLASS_PROFILE": " , "}) is None


def test_a_profile_without_memory_costs_the_others_nothing(tmp_path: Path) -> None:
    class FullEngine(FakeEngine):
        def self_profile_stop(self) -> bytes | None:
            raise MemoryError

    engine = FullEngine()
    output = str(tmp_path / "{profile}.gz")
    requested, said = record(
        engine, {"STACKGLASS_PROFILE": "cpu,mutex", "STACKGLASS_OUTPUT": output}
    )
    requested.finish()
    assert said == ["the profile cpu is not written: there is no memory for it"]
    assert [path.name for path in tmp_path.iterdir()] == ["mutex.gz"]
    assert engine.asked[-1] == "withdraw"


def test_a_signal_without_a_thread_for_it_does_not_reach_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda number, handler: handler)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    output = str(tmp_path / "{profile}.gz")
    environment = {"STACKGLASS_PROFILE": "mutex", "STACKGLASS_OUTPUT": output}
    requested, said = record(FakeEngine(), {**environment, "STACKGLASS_SIGNAL": "USR2"})

    def refuse(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    requested._on_signal(signal.SIGUSR2, None)
    assert said == ["STACKGLASS_SIGNAL: the profiles are not written now: can't start new thread"]
