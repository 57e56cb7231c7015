"""Lock waits at one moment, as rows: each thread below the holder that it waits for.

``stackglass.wire.lock_waits`` finds the cycles of waiting threads and the order of the rows, and
has a picture of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stackglass.errors import WireError
from stackglass.wire.lock_names import LockFacts, name_locks
from stackglass.wire.lock_waits import (
    describe_cycle,
    explain_holders,
    order_threads,
    sort_cycles,
)
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.contention.buckets import Locks
from stackglass_viewer.model.contention.stacks import CaptureStacks
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.units import make_printable

ListAsleep = Callable[[int, Iterable[int]], Mapping[int, int]]
"""``(mono_ns, tids)`` -> ``{tid: ns}``: how long, at least, each thread had not run at ``mono_ns``.
Threads without a known time are left out."""


def list_none_asleep(_mono_ns: int, _tids: Iterable[int]) -> Mapping[int, int]:
    """The ``ListAsleep`` of a session without sleeping times: no thread has a known time."""
    return {}


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A row: a thread that waits, or that others wait for."""

    tid: int
    name: str
    depth: int  # steps to the holder at the root of this tree of waiters
    is_in_cycle: bool
    is_waiting: bool
    is_earlier: bool  # the wait began before locks were watched
    waited_ns: int  # for an earlier wait a lower bound; -1 = unknown, or the thread does not wait
    call: str  # the call that waits; "" = the thread does not wait
    lock: str  # "" = the thread waits for no lock, or for one that is not identified
    holder_tid: int  # 0 = not known, or the thread does not wait
    holder: str  # the holder's name
    is_holder_inside: bool  # the holder is known only by its `with` block of the lock
    where: LineName  # the line where the thread waits, or for a holder its current line
    stack: int  # the engine's node; 0 = not known
    may_be_held: bool = True  # False = the wait is for a queue, an event …, which no thread holds


@dataclass(frozen=True, slots=True)
class WaitsTable:
    """Threads that wait or are waited for, each below the thread that it waits for. Immutable."""

    rows: tuple[WaitingThread, ...]
    cycles: tuple[str, ...]  # deadlocks, one sentence each; their threads can never continue
    possible: tuple[str, ...]  # cycles that do not change, but are not proven to be deadlocks
    n_waiting: int
    stacks: CaptureStacks
    at_ns: int = 0  # time of the engine's snapshot, since the session's start

    def list_stack(self, row: int) -> list[LineName]:
        """Return the lines of a thread's stack, the innermost first."""
        names = self.stacks.names
        return [names.name_line(line) for line in self.stacks.list_lines(self.rows[row].stack)]


def _list_optional_columns(waits: wire_pb2.LockWaits) -> tuple[Sequence[int], ...]:
    """Return the columns that a message omits if all their values are 0."""
    return waits.holder_inside, waits.holder_taken, waits.stuck


def check_waits(waits: wire_pb2.LockWaits, n_strings: int, n_nodes: int) -> None:
    """Raise WireError if columns differ in length, or a row refers to an undefined string or
    stack."""
    columns = (
        waits.tid,
        waits.lock,
        waits.primitive,
        waits.since_mono_ns,
        waits.holder_tid,
        waits.node,
        waits.holder_node,
        *(column or waits.tid for column in _list_optional_columns(waits)),
    )
    check_equal(*columns)
    if max(waits.primitive, default=0) >= max(n_strings, 1):
        raise WireError("a thread's wait refers to an undefined string")
    if max((*waits.node, *waits.holder_node), default=0) >= max(n_nodes, 1):
        raise WireError("a thread's wait refers to an undefined stack")


@dataclass(frozen=True, slots=True)
class _Moment:
    """The data that rows are made from: the message's columns, as maps by thread ID."""

    waits: wire_pb2.LockWaits
    index_of: Mapping[int, int]  # a waiting thread's index in the columns
    holder_of: Mapping[int, int]
    holder_stack: Mapping[int, int]  # the engine's node of a holder's stack
    inside: frozenset[int]  # threads with a holder that is known only by its `with` block
    in_cycle: frozenset[int]
    asleep_ns: Mapping[int, int]
    facts: Mapping[int, LockFacts]
    lock_names: Mapping[int, str]
    thread_names: Mapping[int, str]
    stacks: CaptureStacks

    def name_thread(self, tid: int) -> str:
        return self.thread_names.get(tid) or f"thread {tid}"

    def make_row(self, tid: int, depth: int) -> WaitingThread:
        at = self.index_of.get(tid)
        return self._make_holder(tid, depth) if at is None else self._make_waiter(at, tid, depth)

    def _make_holder(self, tid: int, depth: int) -> WaitingThread:
        """Return the row of a thread that others wait for, and that does not wait itself."""
        node = self.holder_stack.get(tid, 0)
        return WaitingThread(
            tid=tid,
            name=self.name_thread(tid),
            depth=depth,
            is_in_cycle=False,
            is_waiting=False,
            is_earlier=False,
            waited_ns=-1,
            call="",
            lock="",
            holder_tid=0,
            holder="",
            is_holder_inside=False,
            where=self.stacks.name_place(node),
            stack=node,
        )

    def _make_waiter(self, at: int, tid: int, depth: int) -> WaitingThread:
        waits, strings = self.waits, self.stacks.names.strings
        node, lock, since_ns = waits.node[at], waits.lock[at], waits.since_mono_ns[at]
        holder = self.holder_of.get(tid, 0)
        return WaitingThread(
            tid=tid,
            name=self.name_thread(tid),
            depth=depth,
            is_in_cycle=tid in self.in_cycle,
            is_waiting=True,
            is_earlier=not since_ns,
            waited_ns=max(waits.time_mono_ns - since_ns, 0)
            if since_ns
            else self.asleep_ns.get(tid, -1),
            call=strings[waits.primitive[at]] if strings else "",
            lock=self.lock_names[lock],
            holder_tid=holder,
            holder=self.name_thread(holder) if holder else "",
            is_holder_inside=tid in self.inside,
            where=self.stacks.name_place(node),
            stack=node,
            may_be_held=self.facts[lock].has_holder or not lock,
        )


def build_waits(
    waits: wire_pb2.LockWaits,
    locks: Locks,
    stacks: CaptureStacks,
    thread_names: Mapping[int, str],
    list_asleep: ListAsleep,
) -> WaitsTable:
    """Return the table of waits, which must have passed ``check_waits``. Any thread."""
    earlier = [
        tid for tid, since_ns in zip(waits.tid, waits.since_mono_ns, strict=True) if not since_ns
    ]
    holder_of = {
        tid: holder for tid, holder in zip(waits.tid, waits.holder_tid, strict=True) if holder
    }
    cycles = sort_cycles(holder_of, dict(zip(waits.tid, waits.stuck, strict=False)))
    facts = {lock: locks.get(lock) for lock in waits.lock}
    moment = _Moment(
        waits=waits,
        index_of={tid: at for at, tid in enumerate(waits.tid)},
        holder_of=holder_of,
        holder_stack=dict(zip(waits.holder_tid, waits.holder_node, strict=True)),
        inside=frozenset(
            tid for tid, each in zip(waits.tid, waits.holder_inside, strict=False) if each
        ),
        in_cycle=frozenset(tid for cycle in cycles.deadlocks for tid in cycle),
        asleep_ns=list_asleep(waits.time_mono_ns, earlier) if earlier else {},
        facts=facts,
        lock_names=name_locks(facts),
        thread_names=thread_names,
        stacks=stacks,
    )
    order = order_threads(waits.tid, holder_of, cycles.all)
    rows = tuple(moment.make_row(tid, depth) for tid, depth in order)
    certain, possible = (_describe(moment, which) for which in (cycles.deadlocks, cycles.possible))
    return WaitsTable(rows, certain, possible, len(moment.index_of), stacks)


def _describe(moment: _Moment, cycles: Iterable[Sequence[int]]) -> tuple[str, ...]:
    """Return a sentence for each cycle of waiting threads."""
    waits = moment.waits
    lock_of = {
        tid: moment.lock_names[lock] for tid, lock in zip(waits.tid, waits.lock, strict=True)
    }
    how_known = explain_holders(
        waits.tid, *(column or [0] * len(waits.tid) for column in _list_optional_columns(waits))
    )
    return tuple(
        make_printable("; ".join(describe_cycle(cycle, lock_of, how_known, moment.name_thread)))
        for cycle in cycles
    )
