"""Lock names: short texts that identify locks, and the frames of a stack that wait for one."""

from __future__ import annotations

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import messages
from stackglass.wire.definitions import Line, check_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PRIMITIVES = (
    "_thread.",
    "_queue.",
    "threading.",
    "queue.",
    "concurrent.futures.",
    "multiprocessing.",
)
"""Prefixes of the names of functions that are primitives, or run threads."""

_WITHOUT_HOLDERS = (
    "SimpleQueue",
    "Queue",
    "Event",
    "Condition",
    "Semaphore",
    "Barrier",
    "Future",
)
_JOINING = (
    "threading.Thread.join",
    "threading.Thread._wait_for_tstate_lock",
    "threading._shutdown",
)


class LockFacts(NamedTuple):
    """What is known of a lock; all empty = no lock."""

    primitive: str = ""  # what it is: ``Lock``, ``RLock``, ``Queue``
    address: int = 0  # 0 = many that were made at one place
    name: str = ""  # ``app.CACHE_LOCK``; "" = not known
    site: str = ""  # where it was made, ``/srv/app.py:12``; "" = not known
    wait: str = ""  # where it was first waited for; "" = not known
    is_settled: bool = False  # the search for its name is done; a better name may still follow

    @property
    def is_many(self) -> bool:
        """Whether the row stands for all other locks that were made at one place."""
        return self.address == 0 and self.site != ""

    @property
    def has_holder(self) -> bool:
        """Whether a thread can hold it: a Lock has a holder, a Queue has none."""
        return bool(self.primitive) and self.primitive not in _WITHOUT_HOLDERS

    def describe(self) -> str:
        """Return its name, else a place, else its address; "" = no lock."""
        if self.name:
            return self.name
        primitive = self.primitive or "lock"
        if self.is_many:
            return f"other {primitive}s made at {_shorten(self.site)}"
        if self.site:
            return f"{primitive} made at {_shorten(self.site)}"
        if self.wait:
            return f"{primitive} waited for at {_shorten(self.wait)}"
        return f"{primitive} {self.address:#x}" if self.address else self.primitive


class LockTable:
    """The locks of a session as they are received. For one thread."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: list[LockFacts] = []

    @property
    def is_empty(self) -> bool:
        """Whether no lock has been received."""
        return not self._rows

    def add(self, message: messages.Contention, strings: list[str]) -> None:
        """Add the locks of a message. Raises WireError if it refers to something undefined."""
        texts = (message.named_name, message.named_site, message.named_wait)
        for column in (message.lock_primitive, *texts):
            check_references(column, max(len(strings), 1), "string")
        for primitive, address in zip(message.lock_primitive, message.lock_address):
            self._rows.append(LockFacts(strings[primitive] if primitive else "", address))
        check_references(message.named_lock, len(self._rows), "lock")
        are_settled = message.named_settled or [0] * len(message.named_lock)
        for lock, settled, *named in zip(message.named_lock, are_settled, *texts):
            name, site, wait = (strings[text] if text else "" for text in named)
            self._rows[lock] = self._rows[lock]._replace(
                name=name, site=site, wait=wait, is_settled=bool(settled)
            )

    def get(self, lock: int) -> LockFacts:
        """Return what is known of a lock; 0 = no lock. Raises WireError if it is undefined."""
        if lock == 0:
            return LockFacts()
        if lock >= len(self._rows):
            raise WireError("a thread waits for an undefined lock")
        return self._rows[lock]


def is_join(stack: Sequence[Line]) -> bool:
    """Return whether a stack, innermost first, waits for the end of a thread. Up to 3.12 it waits
    for a lock that the thread holds, and that has no name."""
    return any(line.function in _JOINING for line in stack[:2])


def name_locks(facts: Mapping[int, LockFacts]) -> dict[int, str]:
    """Return each lock's name, with its address if another lock has the same name."""
    names = {lock: each.describe() for lock, each in facts.items()}
    n_called: dict[str, int] = {}
    for name in names.values():
        n_called[name] = n_called.get(name, 0) + 1
    return {
        lock: f"{name} {facts[lock].address:#x}"
        if n_called[name] > 1 and facts[lock].address
        else name
        for lock, name in names.items()
    }


def _shorten(place: str) -> str:
    """Return ``file.py:12`` of a place, without directories."""
    return place.rpartition("/")[2]
