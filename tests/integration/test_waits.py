"""``stackglass waits`` on programs that hang, and on such as do not."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.proc_state import compare, read_proc_state, read_tasks
from harness.pythons import Python
from harness.recorder import PATIENCE_S, record, run_command, start_command, wait_until
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach

DEADLOCKED = 3
S = 10**9


def look(pid: int, *words: object) -> tuple[int, dict[str, Any]]:
    """Exit status, and what it prints for programs."""
    status, out, err = run_command("waits", pid, "--json", *words)
    assert err == ""
    reported: dict[str, Any] = json.loads(out)
    return status, reported


def read_sleep(pid: int, tid: int) -> str:
    """What a thread sleeps on: the call, its arguments, where its stack ends."""
    return Path(f"/proc/{pid}/task/{tid}/syscall").read_text()


def count_switches(pid: int) -> dict[int, list[str]]:
    """Of each thread, how often it has given up its processor, or lost it."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {
        int(task.name): [
            line for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line
        ]
        for task in tasks
    }


def await_rest(pid: int) -> None:
    """Until no thread has run for a second."""
    deadline, before = time.monotonic() + PATIENCE_S, count_switches(pid)
    while time.monotonic() < deadline:
        time.sleep(1.0)
        now = count_switches(pid)
        if now == before:
            return
        before = now
    raise AssertionError(f"threads of {pid} still run: {before}")


@each_python
def test_deadlocks_of_before(python: Python) -> None:
    """All of them by name, whoever has known its holder how; they are left as they were."""
    with Target(python, "deadlocked.py", has_stdin=True) as target:
        tids: dict[str, list[int]] = target.ready["tids"]
        everybody = [tid for each in tids.values() for tid in each]
        before = {tid: read_sleep(target.pid, tid) for tid in everybody}
        tasks = read_tasks(target.pid)
        status, reported = look(target.pid)
        assert status == DEADLOCKED
        assert reported["is_deadlocked"] is True
        cycles = {frozenset(each["tids"]) for each in reported["deadlocks"]}
        stuck = ("plain", "recursive", "ring", "itself")
        assert cycles == {frozenset(tids[name]) for name in stuck}
        (own,) = [
            each["description"] for each in reported["deadlocks"] if each["tids"] == tids["itself"]
        ]
        assert own == [
            "itself 1 waits for __main__.MIRROR, which it holds itself (inside its with)"
        ]
        threads = {thread["tid"]: thread for thread in reported["threads"]}
        assert set(threads) == {*everybody, target.pid}
        first, second = tids["plain"]
        assert threads[first]["name"] == "plain 1"
        assert threads[first]["lock"]["name"] == "__main__.RIGHT"
        assert threads[first]["holder"] == second
        assert threads[first]["stack"][0]["function"] == "__main__.cross"
        sure = {name: {threads[tid]["is_holder_sure"] for tid in tids[name]} for name in stuck}
        assert sure == {"plain": {False}, "recursive": {True}, "ring": {False}, "itself": {False}}
        keeper, *at_door = tids["crowd"]
        assert [threads[tid]["holder"] for tid in at_door] == [keeper, keeper]
        assert threads[keeper]["n_blocked"] == len(at_door)

        wait_until(lambda: read_tasks(target.pid) == tasks, "its leave")
        assert {tid: read_sleep(target.pid, tid) for tid in everybody} == before
        assert len(target.ask("free")["through"]) == len(everybody) - len(tids["recursive"])
        status, reported = look(target.pid)
        assert status == DEADLOCKED  # RLocks cannot be released by others
        assert [set(each["tids"]) for each in reported["deadlocks"]] == [set(tids["recursive"])]
        target.finish()


@some_pythons
def test_a_healthy_program_is_not_deadlocked(python: Python) -> None:
    """Threads that take a lock again at once, when a thread that waits has been woken for it."""
    with Target(python, "healthy/run.py", HEALTHY_PROGRAM="unfair") as target:
        for _ in range(3):
            status, reported = look(target.pid)
            assert (status, reported["deadlocks"], reported["possible_deadlocks"]) == (0, [], [])
            assert all(each["holder"] != each["tid"] for each in reported["threads"])
        target.finish()


@each_python
def test_a_service_that_hangs_without_a_deadlock(python: Python) -> None:
    with Target(python, "hung_service.py", has_stdin=True) as target:
        tids: dict[str, int] = target.ready["tids"]
        status, out, err = run_command("waits", target.pid)
        assert (status, err) == (0, "")
        sections = {lines.splitlines()[0]: lines.splitlines()[1:] for lines in out.split("\n\n")}
        head = f"process {target.pid}, Python {python.version}"
        assert out.startswith(head)
        assert ": 10 threads, 4 waiting for locks\n" in out
        keeper, *below, taken = sections["Waiting threads, each below its holder:"]
        assert (
            f"  keeper [{tids['keeper']}] blocks 3 threads, in queue.Queue.get of __main__.JOBS, "
            in keeper
        )
        assert "called in __main__.keep_door (hung_service.py:" in keeper
        door, joiner = below
        assert "  └ first at door [" in door
        assert "second at door [" in door
        assert "] wait for __main__.DOOR, held by keeper (inside its with), " in door
        assert "  └ joiner [" in joiner
        assert "waits for the end of keeper, " in joiner
        assert f"  taken [{tids['taken']}] waits for __main__.TAKEN, holder unknown, " in taken
        (pool,) = sections["Waiting to be woken:"]
        assert [f"pool_{number} [" in pool for number in range(3)] == [True] * 3
        main, loop = sorted(sections["Not waiting for a lock:"], key=lambda line: "loop" in line)
        assert f"  MainThread [{target.pid}] in __main__.<module> (hung_service.py:" in main
        assert "called in __main__.run_loop (hung_service.py:" in loop
        assert " (an event loop)" in loop
        assert "MainThread" not in "".join(sections["Stacks, innermost first:"])
        _, out, _ = run_command("waits", target.pid, "--all")
        assert f"  MainThread [{target.pid}]\n    __main__.<module> (" in out
        target.finish()


@each_python
def test_a_program_whose_main_thread_is_through(python: Python) -> None:
    """It waits for the others, which is said; and locks have the best of their names at once, if
    the machine is not so slow that a small search takes 8 s."""
    with Target(python, "bank.py", has_stdin=True) as target:
        tids: dict[str, int] = target.ready["tids"]
        for _ in range(2):
            begun = time.monotonic()
            status, reported = look(target.pid)
            is_long = time.monotonic() - begun >= 8
            assert status == DEADLOCKED
            threads = {thread["tid"]: thread for thread in reported["threads"]}
            names = {tids["alice pays bob"]: "bob", tids["bob pays alice"]: "alice"}
            assert is_long or {tid: threads[tid]["lock"]["name"] for tid in names} == {
                tid: f"__main__.ACCOUNTS['{taker}'].lock" for tid, taker in names.items()
            }
            assert {threads[tid]["stack"][0]["function"] for tid in names} == {"__main__.transfer"}
            main = threads[target.pid]
            assert main["is_waiting"] is True
            assert main["holder"] in tids.values()
        _, out, _ = run_command("waits", target.pid)
        assert f"└ MainThread [{target.pid}] waits for the end of " in out
        target.finish()


@some_pythons
def test_names_are_the_best_where_the_search_takes_long(python: Python) -> None:
    """A thread keeps the GIL most of the time: the search needs seconds, and does little work. Only
    after 8 s may what it has found by then be published."""
    with Target(python, "bank.py", has_stdin=True, BANK_BUSY_S="0.04") as target:
        tids: dict[str, int] = target.ready["tids"]
        begun = time.monotonic()
        status, reported = look(target.pid)
        is_long = time.monotonic() - begun >= 8
        assert status == DEADLOCKED
        threads = {thread["tid"]: thread for thread in reported["threads"]}
        for giver, taker in (("alice", "bob"), ("bob", "alice")):
            name = threads[tids[f"{giver} pays {taker}"]]["lock"]["name"]
            assert is_long or name == f"__main__.ACCOUNTS['{taker}'].lock"
        target.finish()


@pytest.mark.skipif(
    not Path("/proc/self/sched").exists(), reason="this kernel does not say when threads ran"
)
@some_pythons
def test_how_long_is_known_from_the_scheduler(python: Python) -> None:
    """Of waits of before; never more than it was."""
    begun = time.monotonic()
    with Target(python, "hung_service.py", has_stdin=True) as target:
        known: set[str] = set()
        # A processor's clock that is busy cannot be read in time: then the duration is unknown.
        deadline = time.monotonic() + PATIENCE_S
        while not known >= {"first at door", "second at door", "taken"}:
            assert time.monotonic() < deadline, known
            await_rest(target.pid)
            _, reported = look(target.pid)
            most_ns = (time.monotonic() - begun) * S
            asleep = [each for each in reported["threads"] if each["is_waiting"]]
            durations = {each["name"]: each for each in asleep if each["waited_ns"] is not None}
            known |= durations.keys()
            for thread in durations.values():
                assert thread["is_waited_at_least"] is True
                assert S <= thread["waited_ns"] <= most_ns
        target.finish()


@some_pythons
def test_a_crowd_shares_a_line(python: Python) -> None:
    with Target(python, "standing_crowd.py", has_stdin=True) as target:
        status, out, _ = run_command("waits", target.pid)
        assert status == 0
        assert ": 201 threads, 200 waiting for locks\n" in out
        assert f"  MainThread [{target.pid}] blocks 200 threads, in __main__.hold_gate (" in out
        assert "and 197 more wait for __main__.GATE, held by MainThread (inside its with), " in out
        assert len(out.splitlines()) < 25
        _, reported = look(target.pid)
        assert [each["holder"] for each in reported["threads"]].count(target.pid) == 200
        target.finish()


@each_python
def test_nothing_stays(python: Python) -> None:
    """Seen from inside and from outside: a process that was looked at is as it was."""
    with Target(python, "mirror.py", has_stdin=True) as target:
        target.ask()
        before = {"inside": target.ask(), **read_proc_state(target.pid)._asdict()}
        assert run_command("waits", target.pid)[0] == 0
        wait_until(lambda: read_tasks(target.pid) == before["tasks"], "its leave")
        after = {"inside": target.ask(), **read_proc_state(target.pid)._asdict()}
        assert compare(before, after) == []
        target.finish()


@some_pythons
def test_an_engine_that_others_use_is_left_as_it_was(python: Python) -> None:
    with Target(python, "hung_service.py", has_stdin=True) as target:
        with Session(target.pid, hz=10) as session:
            session.wait_for_rate(10)
            assert look(target.pid)[1]["is_deadlocked"] is False
            session.wait_for_contention(lambda status: status.mutex_fraction == 0)
            assert session.rates is not None
            assert (session.rates.cpu_hz, session.rates.mutex_fraction) == (10, 0)
            session.set_contention_rates(block_ns=5, fraction=7)
            look(target.pid)
            session.wait_for_contention(lambda status: status.mutex_fraction == 7)
            assert (session.rates.block_rate_ns, session.rates.mutex_fraction) == (5, 7)
            session.detach()
        target.finish()


@some_pythons
def test_an_interpreter_that_is_kept_is_not_waited_for_for_ever(python: Python) -> None:
    with Target(python, "gil_kept.py", has_stdin=True) as target:
        tasks = read_tasks(target.pid)
        assert target.ask("keep") == {"keeping": True}
        status, out, err = run_command("waits", target.pid, "--timeout", "1")
        assert status == 1
        assert f"thread {target.pid} (" in out
        assert "<module>  " in out
        assert err.count("\n") == 1
        assert f"process {target.pid} has not answered for 1 s, because the engine waits" in err
        assert "for the GIL; no thread runs, so C code that sleeps may hold it" in err
        assert target.ask("release") == {"kept": True}
        wait_until(lambda: read_tasks(target.pid) == tasks, "its leave")
        assert look(target.pid)[0] == 0
        target.finish()


def test_refusals_are_those_of_record(tmp_path: Path) -> None:
    with Target(NEWEST, "hung_service.py", has_stdin=True) as target:
        target.process.send_signal(signal.SIGSTOP)
        wait_until(
            lambda: " T " in Path(f"/proc/{target.pid}/stat").read_text(), "the process's stop"
        )
        refused = run_command("waits", target.pid)
        assert refused == record(target.pid, "-o", tmp_path / "cpu.pb.gz")
        assert refused[:2] == (1, "")
        assert f"kill -CONT {target.pid}" in refused[2]
        target.process.send_signal(signal.SIGCONT)
        target.finish()


def test_watching_until_an_interrupt() -> None:
    """A look a line; what begins to wait meanwhile has an exact duration. The exit status is that
    of the last look."""
    with Target(NEWEST, "deadlocked.py", has_stdin=True) as target:
        process = start_command("waits", target.pid, "--json", "--watch", "0.2")
        assert process.stdout is not None
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        assert [line["is_deadlocked"] for line in lines] == [True] * 3
        times = [line["time_unix_ns"] for line in lines]
        assert times == sorted(times)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S)[1] == b""
        assert process.returncode == DEADLOCKED
        process = start_command("waits", target.pid, "--watch", "60")
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"process ")
        target.process.kill()
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
        assert err.startswith(f"stackglass: process {target.pid} has ended".encode())
        assert err.endswith(b"SIGKILL)\n")
