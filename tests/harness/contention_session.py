"""Recordings of contention, made from stacks as text: ``"main;serve;acquire"``."""

from __future__ import annotations

from typing import NamedTuple

from harness.wire_session import WireSession
from stackglass.wire import messages, reader
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.recording import Recording


class TextContention(NamedTuple):
    """A contention bucket: kind, stack (root first), sums, lock and labels."""

    kind: ContentionKind
    stack: str
    contentions: int
    delay_ns: int
    lock: int = 0
    primitive: int = 0  # number of a string
    labels: int = 0  # number of a label set


def record_contention(buckets: list[TextContention], fraction: int = 1) -> Recording:
    """Record a session that has reported these buckets, with that mutex fraction in force."""
    wire = WireSession()
    recording = Recording(cpu_hz=0)
    stacks, nodes = wire.stacks(bucket.stack for bucket in buckets)
    for content in (wire.hello(), wire.ready(), stacks):
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    recording.add(make_contention(buckets, nodes))
    recording.add(messages.ContentionStatus(time_mono_ns=2 * 10**9, mutex_fraction=fraction))
    return recording


def make_contention(buckets: list[TextContention], nodes: dict[str, int]) -> messages.Contention:
    """Make the message that defines the buckets and their locks, and reports their sums."""
    n_locks = 1 + max((bucket.lock for bucket in buckets), default=0)
    zeros = [0] * len(buckets)
    return messages.Contention(
        lock_primitive=[0] * n_locks,
        lock_address=list(range(n_locks)),
        bucket_kind=[int(bucket.kind) for bucket in buckets],
        bucket_primitive=[bucket.primitive for bucket in buckets],
        bucket_lock=[bucket.lock for bucket in buckets],
        bucket_node=[nodes[bucket.stack] for bucket in buckets],
        bucket_other_node=zeros,
        bucket_labels=[bucket.labels for bucket in buckets],
        bucket_other_labels=zeros,
        value_bucket=list(range(len(buckets))),
        value_count=[bucket.contentions for bucket in buckets],
        value_total_ns=[bucket.delay_ns for bucket in buckets],
        value_max_ns=[bucket.delay_ns for bucket in buckets],
    )
