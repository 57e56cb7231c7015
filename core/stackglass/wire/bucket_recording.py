"""Base of the recordings of the heap and of contention: the engine's status."""

from __future__ import annotations

from typing import Generic, TypeVar

from stackglass.wire.messages import ContentionStatus, HeapStatus

MAX_VALUE = 2**63 - 1
"""The largest sum that pprof's int64 can hold."""

_Status = TypeVar("_Status", HeapStatus, ContentionStatus)


class BucketRecording(Generic[_Status]):
    """Base class, for one thread. ``status`` is the last status received; None = none yet."""

    __slots__ = ("status",)

    def __init__(self) -> None:
        self.status: _Status | None = None

    @property
    def last_status_mono_ns(self) -> int:
        """Time of the last status; all earlier events have arrived. 0 = no status yet."""
        return self.status.time_mono_ns if self.status else 0

    @property
    def start_mono_ns(self) -> int:
        """When the allocators or the locks were hooked; 0 = they are not, or no status yet."""
        return self.status.start_mono_ns if self.status else 0

    @property
    def is_whole(self) -> bool:
        """Whether the names of all buckets have arrived."""
        return self.status is not None and self.status.n_unnamed == 0
