"""The contention of one session, as an engine reports it: buckets, their sums, the status.

Sums are scaled, and cumulative since the session's start. pprof's rows have a stack and labels
only, so buckets that differ by lock, primitive or waiter are added up.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import messages
from stackglass.wire.bucket_recording import MAX_VALUE, BucketRecording
from stackglass.wire.contention_kinds import NAMED_KINDS, ContentionKind
from stackglass.wire.definitions import Definitions
from stackglass.wire.pprof import LabelSet

_N_MAGNITUDES = 64  # log2 classes of a delay in ns


_OF_LOCKS = frozenset((ContentionKind.BLOCK, ContentionKind.MUTEX, ContentionKind.PAIR))


class ContentionRow(NamedTuple):
    """What happened at one stack, scaled."""

    node: int
    contentions: int
    delay_ns: int
    primitive: int = 0  # string: what was waited for; 0 = not distinguished
    labels: LabelSet = ()  # of the thread or task that has the stack


class ContentionRecording(BucketRecording[messages.ContentionStatus]):
    """The contention of a session as it is received. For one thread."""

    __slots__ = (
        "_counts",
        "_definitions",
        "_delays_ns",
        "_kinds",
        "_label_sets",
        "_n_locks",
        "_nodes",
        "_primitives",
    )

    def __init__(self, definitions: Definitions) -> None:
        """``definitions`` are those of the session, with its label sets."""
        super().__init__()
        self._definitions = definitions
        self._n_locks = 0
        self._kinds = array("I")
        self._nodes = array("I")
        self._primitives = array("I")
        self._label_sets = array("I")
        self._counts = array("Q")
        self._delays_ns = array("Q")

    def find_problem(self, kind: ContentionKind) -> str:
        """Return why there is no profile of this kind; "" = there is one, or will be."""
        if self.status is None:
            return ""
        problem, of_gil = self.status.problem, self.status.gil_problem
        if kind is ContentionKind.GIL:
            return of_gil
        # If both are the same, no contention is recorded at all.
        return problem if kind in _OF_LOCKS or problem == of_gil else ""

    def add(self, message: messages.Contention, n_strings: int, n_nodes: int) -> None:
        """Add a message. ``n_strings``, ``n_nodes``: strings and stacks that are defined so far.
        Raises WireError."""
        self._n_locks += len(message.lock_primitive)
        texts = (message.lock_primitive, message.bucket_primitive)
        for column in (*texts, message.named_name, message.named_site, message.named_wait):
            _check(column, max(n_strings, 1), "string")
        for column in (message.bucket_lock, message.named_lock):
            _check(column, max(self._n_locks, 1), "lock")
        for column in (message.bucket_node, message.bucket_other_node):
            _check(column, max(n_nodes, 1), "stack")
        self._kinds.extend(message.bucket_kind)
        self._nodes.extend(message.bucket_node)
        self._primitives.extend(message.bucket_primitive)
        self._label_sets.extend(message.bucket_labels)
        for sums in (self._counts, self._delays_ns):
            sums.extend([0] * len(message.bucket_node))
        for column in (message.value_bucket, message.delay_bucket, message.event_bucket):
            _check(column, len(self._nodes), "bucket")
        _check(message.delay_log2, _N_MAGNITUDES, "magnitude")
        for column in (message.value_count, message.value_total_ns):
            if max(column, default=0) > MAX_VALUE:
                raise WireError("a bucket's sum is longer than 63 bits")
        columns = (message.value_bucket, message.value_count, message.value_total_ns)
        for bucket, count, delay_ns in zip(*columns):
            self._counts[bucket] = count
            self._delays_ns[bucket] = delay_ns

    def list_rows(self, kind: ContentionKind) -> list[ContentionRow]:
        """Return the rows of a kind, one for each stack and label set, in order of definition."""
        sums: dict[tuple[int, int, LabelSet], list[int]] = {}
        is_named = kind in NAMED_KINDS
        columns = (self._kinds, self._nodes, self._primitives, self._label_sets)
        for row_kind, node, primitive, label_set, count, delay_ns in zip(
            *columns, self._counts, self._delays_ns
        ):
            if row_kind == kind and count:
                labels = self._definitions.list_labels(label_set)
                row = sums.setdefault((node, primitive if is_named else 0, labels), [0, 0])
                row[0] = min(row[0] + count, MAX_VALUE)
                row[1] = min(row[1] + delay_ns, MAX_VALUE)
        return [
            ContentionRow(node, count, delay_ns, primitive, labels)
            for (node, primitive, labels), (count, delay_ns) in sums.items()
        ]


def _check(references: Sequence[int], n_rows: int, what: str) -> None:
    if references and max(references) >= n_rows:
        raise WireError(f"a contention message refers to an undefined {what}")
