"""Waits over time, from a session's contention profiles: locks, the GIL, calls, awaits, stalls.

The session has the length of each wait, and the unit of time in which the wait ended: 10 ms, or
longer for waits more than 90 s before the session's end (``columns/downsampling``). Waits of one
bucket and thread that end in the same unit are recorded as their sum, and drawn as one slice. It is
as long as the sum; if the sum is longer than 10 ms, as long as the mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.snapshot import ContentionMoment
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.slices import AWAIT, CALL, GIL, LOCK, STALL, Slice

_CATEGORIES = {
    ContentionKind.BLOCK: LOCK,
    ContentionKind.GIL: GIL,
    ContentionKind.OTHER: CALL,
    ContentionKind.TASK: AWAIT,
    ContentionKind.STALL: STALL,
}
_GIL_NAME = "held while others wait"
_TASK = "task"


def list_waits(live: LiveProfile) -> Iterator[Slice]:
    """Yield the waits as slices. Slices of one thread and category do not overlap, except those of
    different tasks."""
    moment = live.capture_contention()
    kinds = moment.buckets.kind.tolist()
    names = _Names(moment)
    rows = sorted(
        row
        for table in moment.events
        for row in zip(
            table.tid.tolist(),
            table.until.tolist(),
            table.bucket.tolist(),
            *table.values.tolist(),
            strict=True,
        )
    )
    free_ns: dict[tuple[int, str, str], int] = {}
    for tid, until, bucket, count, waited_ns in rows:
        category = _CATEGORIES.get(kinds[bucket])
        if category is None or waited_ns <= 0:
            continue
        name, task = names.find(bucket)
        end_ns = until * UNIT_NS
        length_ns = waited_ns if waited_ns <= UNIT_NS else waited_ns // max(count, 1)
        key = tid, category, task
        begin_ns = max(end_ns - length_ns, min(free_ns.get(key, 0), end_ns))
        if begin_ns < end_ns:
            yield Slice(tid, begin_ns, end_ns, category, name)
        free_ns[key] = max(end_ns, free_ns.get(key, 0))


class _Names:
    """The names of buckets: from the lock, the call and the task."""

    def __init__(self, moment: ContentionMoment) -> None:
        self._moment = moment
        self._sets = moment.labels.list_sets()
        self._known: dict[int, tuple[str, str]] = {}

    def find(self, bucket: int) -> tuple[str, str]:
        """Return the name of a bucket's waits, and the task that waited; "" = a thread waited."""
        found = self._known.get(bucket)
        if found is None:
            found = self._known[bucket] = self._make(bucket)
        return found

    def _make(self, bucket: int) -> tuple[str, str]:
        moment = self._moment
        buckets, kind = moment.buckets, moment.buckets.kind[bucket]
        if kind == ContentionKind.GIL:
            return _GIL_NAME, ""
        call = moment.definitions.strings[int(buckets.primitive[bucket])]
        lock = moment.locks.describe(int(buckets.lock[bucket]))
        name = lock or call or "wait"
        if kind != ContentionKind.TASK:
            return name, ""
        task = dict(self._sets.get(int(buckets.labels[bucket]), ())).get(_TASK, "")
        return (f"{task}: {name}" if task else name), task or f"stack {buckets.node[bucket]}"
