"""Names of locks in a live session: what people call them, where they were made and waited for.

One program has them in every way that programs keep them, some from before the attach.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import FOLDER, Target
from stackglass.wire.contention_kinds import ContentionKind

pytestmark = pytest.mark.attach

PROGRAM = FOLDER / "named_locks.py"
OLD = {
    "PLAIN": "Lock",
    "BY_CITY['eu']": "Lock",
    "ROW[2]": "Lock",
    "LINE[1]": "Lock",
    "PAIR[1]": "RLock",
    "NESTED['by'][0][7]": "Lock",
    "Store.shards[1]._lock": "Lock",
    "Store.by_table['users']": "Lock",
    "REGISTRY.data[…]": "Lock",
    "make_counter.<locals>.counter_lock": "Lock",
    "wait_for_old.<locals>.local_lock": "Lock",
    "JOBS": "Queue",
    "Store.inbox": "Queue",
    "READY": "Event",
    "EVENTS['start']": "Event",
    "Store.filled": "Event",
    "CHANGED": "Condition",
    "SLOTS": "Semaphore",
    "TOGETHER": "Barrier",
}


class LockFacts(NamedTuple):
    """What has been reported about a lock that a thread waited for."""

    kind: str
    name: str
    made: str
    waited: str


def list_locks(session: Session, wanted: ContentionKind = ContentionKind.BLOCK) -> list[LockFacts]:
    """Of those waits in which the program's own functions are the callers, and those of tasks."""
    find = session.stacks.find_string
    kinds: list[str] = []
    locks: set[tuple[int, str]] = set()
    facts: dict[int, list[str]] = {}
    for reported in session.contention_messages:
        kinds += [find(kind) for kind in reported.lock_primitive]
        rows = zip(reported.bucket_kind, reported.bucket_lock, reported.bucket_node, strict=True)
        for of, lock, node in rows:
            stack = session.stacks.find_stack(node)
            is_task = of == ContentionKind.TASK
            if of == wanted and (is_task or stack[-2].startswith("__main__.")):
                locks.add((lock, stack[-1]))
        names = zip(
            reported.named_lock,
            reported.named_name,
            reported.named_site,
            reported.named_wait,
            strict=True,
        )
        for lock, *texts in names:
            facts[lock] = [find(text) for text in texts]
    return [
        LockFacts(kinds[lock], *facts.get(lock, ("", "", "")))
        for lock, leaf in locks
        if not leaf.endswith(".join")
    ]


def line_of(text: str) -> str:
    """Where the program says so, as it is reported."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return f"{PROGRAM}:{1 + next(at for at, line in enumerate(lines) if text in line)}"


def wait_until(
    session: Session, wanted: set[str], kind: ContentionKind = ContentionKind.BLOCK
) -> list[LockFacts]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = list_locks(session, kind)
        if wanted <= {lock.name for lock in found}:
            return found
        session.read_for(0.2)
    raise AssertionError(wanted - {lock.name for lock in list_locks(session, kind)})


@each_python
def test_names_are_settled_once_the_search_has_ended(python: Python) -> None:
    """For each lock, those without a name, too; and no name comes before that."""
    with Target(python, "named_locks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            target.ask("old")
            wait_until(session, {f"__main__.{name}" for name in OLD})
            settled: dict[int, int] = {}
            n_locks, deadline = 1, time.monotonic() + PATIENCE_S
            while len(settled) < n_locks - 1 or not all(settled.values()):
                assert time.monotonic() < deadline, settled
                session.read_for(0.1)
                n_locks = sum(
                    len(reported.lock_primitive) for reported in session.contention_messages
                )
                for reported in session.contention_messages:
                    rows = zip(
                        reported.named_lock,
                        reported.named_name,
                        reported.named_settled,
                        strict=True,
                    )
                    for lock, name, is_settled in rows:
                        assert is_settled or not name
                        settled[lock] = is_settled
            target.ask("")
            session.detach()
        target.finish()


@each_python
def test_locks_that_were_there_before(python: Python) -> None:
    """By variable, attribute, item and closure; what is waited for is the object people know."""
    with Target(python, "named_locks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            target.ask("old")
            found = wait_until(session, {f"__main__.{name}" for name in OLD})
            kinds = {lock.name: lock.kind for lock in found}
            assert {name: kinds[f"__main__.{name}"] for name in OLD} == OLD
            assert all(lock.waited.startswith(f"{PROGRAM}:") for lock in found)
            made = {lock.name for lock in found if lock.made} & {f"__main__.{name}" for name in OLD}
            assert made <= {"__main__.wait_for_old.<locals>.local_lock"}  # the others are older
            target.ask("")
            session.detach()
        target.finish()


@each_python
def test_locks_that_are_made_meanwhile(python: Python) -> None:
    """The program's line, whatever of the standard library lies between."""
    with Target(python, "named_locks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            target.ask("new")
            session.wait_for_contention()
            session.read_for(0.5)
            made = {(lock.kind, lock.made) for lock in list_locks(session)}
            assert made == {
                ("Lock", line_of("made here: locks")),
                ("RLock", line_of("made here: locks")),
                ("Queue", line_of("made here: queue")),
                ("Event", line_of("made here: event")),
                ("Condition", line_of("made here: condition")),
                ("Condition", ""),  # around a lock that was there: nothing says where
                ("Future", line_of("made here: future")),
            }
            target.ask("")
            session.detach()
        target.finish()


@some_pythons
def test_many_locks_of_one_line(python: Python) -> None:
    """64 are distinguished where they are waited for; the others go by the line that made them."""
    with Target(python, "named_locks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            target.ask("many")
            session.wait_for_contention()
            session.read_for(0.5)
            made = [lock.made for lock in list_locks(session) if lock.kind == "Lock"]
            assert made == [line_of("made here: many")] * 65
            without = [
                session.stacks.find_string(kind)
                for reported in session.contention_messages
                for kind, at in zip(reported.lock_primitive, reported.lock_address, strict=True)
                if not at
            ]
            # No lock, the others, and those events that their holders had to be waited for by.
            assert sorted(without) in (["", "Event", "Lock"], ["", "Lock"])
            target.ask("")
            session.detach()
        target.finish()


@each_python
def test_what_tasks_wait_for(python: Python) -> None:
    """asyncio's own, by what refers to them; a Barrier where there is one."""
    kinds = ["Lock", "Semaphore", "Event", "Condition", "Queue"]
    if python.minor >= 11:
        kinds.append("Barrier")
    with Target(python, "named_locks.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(block_ns=1, fraction=1)
            target.ask("tasks")
            names = {f"__main__.OF_TASKS['{kind}']": f"asyncio.{kind}" for kind in kinds}
            found = wait_until(session, set(names), ContentionKind.TASK)
            assert {lock.name: lock.kind for lock in found if lock.name in names} == names
            target.ask("")
            session.detach()
        target.finish()


WAITED_FOR = {"JOBS": "Queue", "READY": "Event", "CHANGED": "Condition", "TOGETHER": "Barrier"}


@each_python
def test_what_is_waited_for_now(python: Python) -> None:
    """By threads that began before the attach, and by their objects' names."""
    with Target(python, "named_locks.py", has_stdin=True) as target:
        target.ask("wait")
        with Session(target.pid, hz=0) as session:
            session.set_contention_rates(fraction=10)
            wanted = {f"__main__.{name}": kind for name, kind in WAITED_FOR.items()}
            found: dict[str, str] = {}
            deadline = time.monotonic() + PATIENCE_S
            while found != wanted and time.monotonic() < deadline:
                session.read_for(0.2)
                waits = session.take_lock_waits()
                found = name_waited_for(session, waits.lock)
            assert found == wanted
            target.ask("go on")
            session.detach()
        target.finish()


def name_waited_for(session: Session, locks: Iterable[int]) -> dict[str, str]:
    """Kinds by names, of what has one."""
    find = session.stacks.find_string
    kinds = [
        find(kind) for reported in session.contention_messages for kind in reported.lock_primitive
    ]
    names: dict[int, str] = {}
    for reported in session.contention_messages:
        for lock, name in zip(reported.named_lock, reported.named_name, strict=True):
            names[lock] = find(name)
    return {names[lock]: kinds[lock] for lock in locks if names.get(lock)}
