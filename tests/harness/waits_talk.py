"""Messages of an engine about waits, and the tables that a client fills with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from harness.wire_session import WireSession, message, packed
from stackglass.native import _core
from stackglass.waits.session import WaitsSnapshot
from stackglass.wire import messages, reader, tags
from stackglass.wire.definitions import Definitions
from stackglass.wire.lock_names import LockTable

S = 10**9
START_NS = 100 * S
LOCKS = (("Lock", 0x1000, "app.LEFT"), ("RLock", 0x2000, "app.RIGHT"), ("SimpleQueue", 0x3000, ""))
"""Locks 1, 2 and 3, the last without a name."""


class Wait(NamedTuple):
    """A thread that waits."""

    tid: int
    lock: int = 1  # 0 = no identified lock
    holder: int = 0
    since_s: float | None = None  # after START_NS; None = before the attach
    is_inside: bool = False
    stack: str = "app.main;app.take"
    holder_stack: str = "app.main;app.keep"
    call: str = "Lock.acquire"
    is_taken: bool = False
    stuck: int = 0


class WaitsTalk:
    """A session: the engine's bytes, and the client's tables."""

    def __init__(self) -> None:
        self.wire = WireSession()
        self.definitions = Definitions()
        self.locks = LockTable()
        ready = reader.decode(self.wire.ready(START_NS, 1_700_000_000 * S))
        assert isinstance(ready, messages.Ready)
        self.ready: messages.Ready = ready

    def put_rates(self, mutex_fraction: int = 0) -> bytes:
        return message(
            tags.FromEngine.RATES, _core.encode_int(tags.Rates.MUTEX_FRACTION, mutex_fraction)
        )

    def put_problem(self, text: str) -> bytes:
        content = _core.encode_bytes(tags.ContentionStatus.PROBLEM, text.encode())
        return message(tags.FromEngine.CONTENTION_STATUS, content)

    def put_locks(self) -> bytes:
        """Encode LOCKS without their names."""
        kinds = [0, *(self.wire.find_string(kind) for kind, _, _ in LOCKS)]
        return message(
            tags.FromEngine.CONTENTION,
            packed(tags.Contention.LOCK_PRIMITIVE, kinds)
            + packed(tags.Contention.LOCK_ADDRESS, [0, *(address for _, address, _ in LOCKS)]),
        )

    def put_names(self, *, is_settled: bool = True, has_names: bool = True) -> bytes:
        """Encode the names of LOCKS."""
        named = [(at + 1, name) for at, (_, _, name) in enumerate(LOCKS)]
        texts = [self.wire.find_string(name) if name and has_names else 0 for _, name in named]
        return message(
            tags.FromEngine.CONTENTION,
            packed(tags.Contention.NAMED_LOCK, [lock for lock, _ in named])
            + packed(tags.Contention.NAMED_NAME, texts)
            + packed(tags.Contention.NAMED_SITE, [0] * len(named))
            + packed(tags.Contention.NAMED_WAIT, [0] * len(named))
            + packed(tags.Contention.NAMED_SETTLED, [int(is_settled)] * len(named)),
        )

    def put_waits(self, waits: Iterable[Wait]) -> bytes:
        """Encode a snapshot of waits, taken 10 s after START_NS."""
        rows, field = list(waits), tags.LockWaits
        since_ns = [0 if row.since_s is None else START_NS + round(row.since_s * S) for row in rows]
        columns = {
            field.TID: [row.tid for row in rows],
            field.LOCK: [row.lock for row in rows],
            field.PRIMITIVE: [self.wire.find_string(row.call) for row in rows],
            field.SINCE_MONO_NS: since_ns,
            field.HOLDER_TID: [row.holder for row in rows],
            field.NODE: [self.wire.find_node(row.stack) for row in rows],
            field.HOLDER_NODE: [
                self.wire.find_node(row.holder_stack) if row.holder else 0 for row in rows
            ],
            field.HOLDER_INSIDE: [int(row.is_inside) for row in rows],
            field.HOLDER_TAKEN: [int(row.is_taken) for row in rows],
            field.STUCK: [row.stuck for row in rows],
        }
        content = _core.encode_int(field.TIME_MONO_NS, START_NS + 10 * S)
        for number, values in columns.items():
            content += packed(number, values)
        return message(tags.FromEngine.LOCK_WAITS, content)

    def put_threads(self, standing: dict[int, str]) -> bytes:
        nodes = [self.wire.find_node(stack) for stack in standing.values()]
        return message(
            tags.FromEngine.THREADS,
            packed(tags.ThreadSnapshot.TID, standing)
            + packed(tags.ThreadSnapshot.NODE, nodes)
            + packed(tags.ThreadSnapshot.LABELS, [0] * len(nodes)),
        )

    def look(
        self,
        waits: Iterable[Wait],
        standing: dict[int, str] | None = None,
        names: dict[int, str] | None = None,
    ) -> WaitsSnapshot:
        """Return a snapshot with these waits; all definitions that it needs are sent."""
        talk = [self.put_locks(), self.put_names()] if self.locks.is_empty else []
        talk += [self.put_waits(waits), self.put_threads(standing or {})]
        contents = [self.wire.batch([], names), *talk]
        *_, found, threads = (self._add(reader.decode(content)) for content in contents)
        assert isinstance(found, messages.LockWaits)
        assert isinstance(threads, messages.ThreadSnapshot)
        return WaitsSnapshot(found, threads)

    def _add(self, talk: messages.Message | None) -> messages.Message | None:
        if isinstance(talk, messages.Batch):
            self.definitions.add(talk)
        elif isinstance(talk, messages.Contention):
            self.locks.add(talk, self.definitions.strings)
        return talk
