"""Flight triggers: conditions of a process on which a flight recorder writes its window."""

from __future__ import annotations

import resource

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC
from stackglass.record.flight_plan import DEADLOCK, RSS, STALL, WAIT, Trigger, Window
from stackglass.wire import lock_waits, reader, requests
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.messages import Contention, ContentionStatus, LockWaits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.wire.messages import Message

_PAGE_BYTES = resource.getpagesize()
_KINDS: dict[int, str] = {ContentionKind.BLOCK: WAIT, ContentionKind.STALL: STALL}
_LONG = (WAIT, STALL)  # triggers with a limit of time
_LOOK_NS = 1_000_000_000
_CALM_SHARE = 0.9
"""RSS has to fall below this share of its limit before it can trigger again."""


class RssTrigger:
    """Fires when the resident memory of a process passes a limit. For one thread."""

    __slots__ = ("_has_fired", "_limit", "_pid")

    def __init__(self, pid: int, trigger: Trigger) -> None:
        self._pid = pid
        self._limit = trigger.limit
        self._has_fired = False

    def find_cause(self) -> str:
        """Why to write now; "" = there is no reason."""
        rss_bytes = _read_rss(self._pid)
        if rss_bytes < self._limit * _CALM_SHARE:
            self._has_fired = False
        if rss_bytes <= self._limit or self._has_fired:
            return ""
        self._has_fired = True
        return f"resident memory passed {format_bytes(self._limit)}"


class WaitTriggers:
    """Fire when a wait for a lock, or a stall of an event loop, has lasted longer than a limit.

    The engine reports a wait or a stall when it has ended. For one thread.
    """

    __slots__ = ("_is_wanted", "_kinds", "_limits", "_most_ns", "problem")

    def __init__(self, window: Window) -> None:
        self._limits = {
            trigger.name: trigger.limit for trigger in window.triggers if trigger.name in _LONG
        }
        self._kinds: list[int] = []  # by bucket
        self._most_ns: dict[int, int] = {}  # by bucket: its longest wait so far
        self._is_wanted = bool(self._limits) or window.find(DEADLOCK) is not None
        self.problem = ""
        """Why the engine observes no waits; "" = it does."""

    def see(self, frame: bytes, message: Message | None) -> str:
        """Take a message, as received and as decoded. Returns why to write now; "" = there is no
        reason. Raises WireError."""
        if isinstance(message, ContentionStatus) and self._is_wanted:
            self.problem = message.problem
        if not isinstance(message, Contention) or not self._limits:
            return ""
        found = reader.decode(frame)
        assert isinstance(found, Contention)
        self._kinds += found.bucket_kind
        grown = self._note_longest(found)
        causes = (
            self._find_cause(bucket, ns, grown)
            for bucket, ns in zip(found.event_bucket, found.event_ns)
        )
        return next((cause for cause in causes if cause), "")

    def _note_longest(self, found: Contention) -> set[int]:
        """Note the longest wait of each bucket. Returns the buckets where it has grown."""
        grown = set()
        for bucket, most_ns in zip(found.value_bucket, found.value_max_ns):
            if most_ns > self._most_ns.get(bucket, 0):
                self._most_ns[bucket] = most_ns
                grown.add(bucket)
        return grown

    def _find_cause(self, bucket: int, ns: int, grown: set[int]) -> str:
        """Why to write for one event; "" = no reason. An event's time may be the scaled sum of many
        waits, so the bucket's longest wait has to exceed the limit, too."""
        kind = self._kinds[bucket] if bucket < len(self._kinds) else -1
        name = _KINDS.get(kind, "")
        limit_ns = self._limits.get(name, 0)
        most_ns = self._most_ns.get(bucket, 0)
        if not limit_ns or ns <= limit_ns or most_ns <= limit_ns:
            return ""
        lasted_ns = most_ns if bucket in grown else ns
        what = "a wait for a lock" if name == WAIT else "a stall of an event loop"
        return f"{what} lasted {lasted_ns / 1e9:.3g} s"


class DeadlockTrigger:
    """Fires once for each deadlock, proven as ``stackglass waits`` does: the engine has confirmed
    that no thread of the cycle moves, and two snapshots have the same cycle. For one thread.
    """

    __slots__ = ("_before", "_has_fired", "_is_wanted", "_looked_ns")

    def __init__(self, window: Window) -> None:
        self._is_wanted = window.find(DEADLOCK) is not None
        self._before = LockWaits()
        self._has_fired: set[frozenset[int]] = set()
        self._looked_ns = 0

    def list_requests(self, now_ns: int) -> list[bytes]:
        """The requests to the engine now: once a second, for a snapshot of waiters and holders."""
        if not self._is_wanted or now_ns - self._looked_ns < _LOOK_NS:
            return []
        self._looked_ns = now_ns
        return [requests.encode_take_lock_waits()]

    def see(self, message: Message | None) -> str:
        """Take a message. Returns why to write now; "" = there is no reason."""
        if not isinstance(message, LockWaits) or not self._is_wanted:
            return ""
        before, self._before = self._before, message
        holder_of = lock_waits.find_holders(message)
        found = lock_waits.sort_cycles(holder_of, dict(zip(message.tid, message.stuck)))
        for cycle in lock_waits.keep_confirmed(found.deadlocks, message, before):
            if frozenset(cycle) not in self._has_fired:
                self._has_fired.add(frozenset(cycle))
                noun = "thread" if len(cycle) == 1 else "threads"
                return f"a deadlock of {noun} {', '.join(map(str, cycle))}"
        return ""


def list_rss(pid: int, window: Window) -> list[RssTrigger]:
    """The RSS triggers of a process."""
    return [RssTrigger(pid, trigger) for trigger in window.triggers if trigger.name == RSS]


def format_bytes(n_bytes: int) -> str:
    """A size for people: ``61.2 MiB``."""
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.3g} {unit}" if size < 1000 else f"{size:.0f} {unit}"


def _read_rss(pid: int) -> int:
    """The process's resident memory, in bytes; 0 = it has ended."""
    try:
        fields = PROC.read_bytes(pid, "statm").split()
    except NoSuchProcessError:
        return 0
    return int(fields[1]) * _PAGE_BYTES if len(fields) > 1 else 0
