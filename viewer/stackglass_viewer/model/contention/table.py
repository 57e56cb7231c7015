"""Contention table: delays and counts by stack, by function or by lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.contention.buckets import ENDING_IN_PRIMITIVE, ContentionColumn, Locks
from stackglass_viewer.model.contention.delay_cells import DelayCells, bound_longest
from stackglass_viewer.model.contention.pairs import NO_PAIRS, Pairs, build_pairs
from stackglass_viewer.model.contention.snapshot import ContentionFilter, ContentionMoment
from stackglass_viewer.model.contention.stacks import (
    CaptureStacks,
    Stacks,
    stacks_of_capture,
    stacks_of_profile,
)
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.profile.profile import Profile

Grouping = Literal["stacks", "functions", "locks"]

MAX_ROWS = 2000
NO_LOCK = "no identified lock"
_ASYNCIO = "asyncio."  # prefix of the functions in which a task waits


@dataclass(frozen=True, slots=True, eq=False)
class ContentionRows:
    """Waits by stack and lock. Immutable."""

    stack: Int32s  # (n,) the number of the stack
    end: Int32s  # (n,) line where the stack ends; -1 = it is empty
    where: Int32s  # (n,) line that waited, or released, or held
    lock: Int32s  # (n,) 0 = none
    columns: Int64s  # (2, n) by ContentionColumn
    max_ns: Int64s  # (n,) the longest wait; -1 = not known
    bucket: Int64s  # (n,) number of the bucket, or of a file's sample; each once
    delays: DelayCells | None  # waits of buckets by size; None = only totals are known
    stacks: Stacks
    locks: Locks | None  # None = locks are not identified

    def __post_init__(self) -> None:
        freeze(self.stack, self.end, self.where, self.lock, self.columns, self.max_ns, self.bucket)


@dataclass(frozen=True, slots=True, eq=False)
class DelayHistogram:
    """Waits by size, from the smallest class that has waits to the largest. Immutable."""

    first_class: int
    counts: Int64s  # (n_classes,)

    def __post_init__(self) -> None:
        freeze(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class ContentionTable:
    """The rows with the largest delays, or counts, in no order. Immutable."""

    grouping: Grouping
    kind: ContentionKind | None  # None for a file, which does not say
    key: Int64s  # (n_rows,) identifies the row through the session
    name: tuple[str, ...]  # (n_rows,) function, or lock
    file: tuple[str, ...]  # (n_rows,) "" = unknown
    line: Int64s  # (n_rows,) 0 = unknown, or the row has several
    what: tuple[str, ...]  # (n_rows,) function that was called there; "" = none, or several
    lock: tuple[str, ...]  # (n_rows,) its lock, or the number of its locks; "" = none
    lock_number: Int64s  # (n_rows,) -1 = several
    about_lock: tuple[str, ...]  # (n_rows,) all facts about its lock; "" = none, or several
    count: Int64s  # (n_rows,)
    total_ns: Int64s  # (n_rows,)
    max_ns: Int64s  # (n_rows,) -1 = not known
    is_bound: Bools  # (n_rows,) ``max_ns`` is only an upper bound of the longest wait
    delays: Int64s | None  # (n_rows, N_DELAYS) waits by size; None = only totals are known
    stack: Int64s  # (n_rows,) number of its largest stack
    n_stacks: Int64s  # (n_rows,)
    pairs: Pairs  # the rows' holders or waiters
    stacks: Stacks
    total_count: int
    total_delay_ns: int
    wall_ns: int  # length of the span; 0 = unknown
    n_left_out: int  # number of smaller rows that are not in the table
    is_by_delay: bool  # the rows are the largest by delay; else by count

    def __len__(self) -> int:
        return len(self.name)

    def list_stack(self, row: int) -> list[LineName]:
        """Return the lines of a row's largest stack, the innermost first."""
        names = self.stacks.names
        return [names.name_line(line) for line in self.stacks.list_lines(int(self.stack[row]))]

    def find_delays(self, row: int) -> DelayHistogram | None:
        """Return the waits of a row by size; row -1 = the sum of all rows of the table. None = only
        totals are known."""
        if self.delays is None:
            return None
        counts = self.delays.sum(axis=0) if row < 0 else self.delays[row]
        used = np.flatnonzero(counts)
        begin, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
        return DelayHistogram(begin, counts[begin:end])


def list_moment_rows(
    moment: ContentionMoment, kind: ContentionKind, wanted: ContentionFilter
) -> ContentionRows:
    """Return a capture's waits of a kind."""
    mask = moment.choose(kind, wanted)
    stacks = stacks_of_capture(moment.definitions)
    node = moment.buckets.node[mask]
    end = stacks.find_ends(node)
    values = moment.values
    return ContentionRows(
        stack=node,
        end=end,
        where=_find_places(kind, stacks, node),
        lock=moment.buckets.lock[mask],
        columns=values.columns[:, mask],
        max_ns=values.max_ns[mask],
        bucket=np.flatnonzero(mask),
        delays=values.delays,
        stacks=stacks,
        locks=moment.locks,
    )


def _find_places(kind: ContentionKind, stacks: CaptureStacks, nodes: Int32s) -> Int32s:
    """Return the line that waited, released or held, for each stack: (n,)."""
    if kind in ENDING_IN_PRIMITIVE:
        return stacks.find_callers(nodes)
    if kind is ContentionKind.TASK:
        return stacks.find_outside(nodes, _ASYNCIO)
    return stacks.find_ends(nodes)


def list_profile_rows(profile: Profile, types: Sequence[int]) -> ContentionRows:
    """Return a file's waits; ``types`` are its sample types by ContentionColumn."""
    stacks = stacks_of_profile(profile)
    end, where = stacks.find_sites()
    n = profile.n_samples
    return ContentionRows(
        stack=stacks.find_first(),
        end=end,
        where=where,
        lock=np.zeros(n, dtype=np.int32),
        columns=np.ascontiguousarray(profile.samples.values[list(types)]),
        max_ns=np.full(n, -1, dtype=np.int64),
        bucket=np.arange(n, dtype=np.int64),
        delays=None,
        stacks=stacks,
        locks=None,
    )


def build_moment_table(
    moment: ContentionMoment,
    kind: ContentionKind,
    wanted: ContentionFilter,
    grouping: Grouping,
    is_by_delay: bool,
) -> ContentionTable:
    """Build a capture's table, with its pairs of holders and waiters. Any thread."""
    rows = list_moment_rows(moment, kind, wanted)
    table = _build(rows, kind, grouping, is_by_delay, moment.wall_ns)
    stacks = stacks_of_capture(moment.definitions)

    def find_keys(nodes: Int32s, locks: Int32s) -> Int64s:
        where = _find_places(kind, stacks, nodes)
        return _key_rows(grouping, nodes, where, locks, stacks)

    return replace(table, pairs=build_pairs(moment, kind, wanted, find_keys, table.key))


def build_profile_table(
    profile: Profile, types: Sequence[int], grouping: Grouping, is_by_delay: bool
) -> ContentionTable:
    """Build a file's table. Any thread."""
    rows = list_profile_rows(profile, types)
    return _build(rows, None, grouping, is_by_delay, profile.duration_ns)


def _key_rows(
    grouping: Grouping, stack: Int32s, where: Int32s, lock: Int32s, stacks: Stacks
) -> Int64s:
    """Return the key of each row's group: (n,)."""
    if grouping == "functions":
        return stacks.names.key_functions(where)
    return (lock if grouping == "locks" else stack).astype(np.int64)


def _build(
    rows: ContentionRows,
    kind: ContentionKind | None,
    grouping: Grouping,
    is_by_delay: bool,
    wall_ns: int,
) -> ContentionTable:
    measure = ContentionColumn.DELAY if is_by_delay else ContentionColumn.COUNT
    rows = _choose(rows, np.flatnonzero((rows.columns != 0).any(axis=0)))
    keys, group = np.unique(
        _key_rows(grouping, rows.stack, rows.where, rows.lock, rows.stacks), return_inverse=True
    )
    # Ordered by group, and within a group by value, the largest first.
    order = np.lexsort((-rows.columns[measure], group))
    rows, group = _choose(rows, order), group[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    totals = _reduce(np.add, rows.columns, starts)
    ranked = np.argsort(-totals[measure], kind="stable")
    ranked, n_left_out = ranked[:MAX_ROWS], max(len(ranked) - MAX_ROWS, 0)
    first = starts[ranked]
    named = _name_rows(rows, keys[ranked], first, grouping)
    max_ns, is_bound = _find_longest(rows, starts)
    lock_number = _find_only(rows.lock.astype(np.int64), starts, several=-1)[ranked]
    table = ContentionTable(
        grouping=grouping,
        kind=kind,
        key=keys[ranked].astype(np.int64),
        name=tuple(each.function for each in named),
        file=tuple(each.file for each in named),
        line=np.array([each.number for each in named], dtype=np.int64),
        what=_name_calls(rows, starts, ranked),
        lock=_name_locks(rows, lock_number, starts, ranked),
        lock_number=lock_number,
        about_lock=tuple(
            rows.locks.explain(lock) if rows.locks is not None else ""
            for lock in lock_number.tolist()
        ),
        count=totals[ContentionColumn.COUNT][ranked],
        total_ns=totals[ContentionColumn.DELAY][ranked],
        max_ns=max_ns[ranked],
        is_bound=is_bound[ranked],
        delays=_sum_delays(rows, group, ranked),
        stack=rows.stack[first].astype(np.int64),
        n_stacks=_count_distinct(rows.stack, group, len(starts))[ranked],
        pairs=NO_PAIRS,
        stacks=rows.stacks,
        total_count=int(totals[ContentionColumn.COUNT].sum()),
        total_delay_ns=int(totals[ContentionColumn.DELAY].sum()),
        wall_ns=wall_ns,
        n_left_out=n_left_out,
        is_by_delay=is_by_delay,
    )
    freeze(table.key, table.line, table.count, table.total_ns, table.max_ns, table.is_bound)
    freeze(table.lock_number, table.stack, table.n_stacks)
    return table


def _choose(rows: ContentionRows, which: Int64s) -> ContentionRows:
    return replace(
        rows,
        stack=rows.stack[which],
        end=rows.end[which],
        where=rows.where[which],
        lock=rows.lock[which],
        columns=rows.columns[:, which],
        max_ns=rows.max_ns[which],
        bucket=rows.bucket[which],
    )


def _reduce(function: np.ufunc, columns: Int64s, starts: Int64s) -> Int64s:
    """Reduce columns (…, n) to (…, n_groups). ``starts``: the first row of each group."""
    if len(starts) == 0:
        return columns[..., :0]
    return np.asarray(function.reduceat(columns, starts, axis=-1), dtype=np.int64)


def _find_only(values: Int64s, starts: Int64s, several: int) -> Int64s:
    """Return the value that all rows of a group have, or ``several`` if they differ:
    (n_groups,)."""
    least, most = _reduce(np.minimum, values, starts), _reduce(np.maximum, values, starts)
    return np.asarray(np.where(least == most, least, several), dtype=np.int64)


def _count_distinct(values: Int32s, group: Int64s, n_groups: int) -> Int64s:
    """Return the number of distinct values in each group: (n_groups,)."""
    pairs = np.unique(np.stack((group, values.astype(np.int64))), axis=1)
    return np.bincount(pairs[0].astype(np.int64), minlength=n_groups).astype(np.int64)


def _find_longest(rows: ContentionRows, starts: Int64s) -> tuple[Int64s, Bools]:
    """Return the longest wait of each group, or an upper bound, or -1 = unknown; and whether the
    value is only a bound: (n_groups,) each."""
    known = _reduce(np.maximum, rows.max_ns, starts)
    is_open = rows.max_ns < 0
    if rows.delays is None:
        unknown = np.where(is_open, np.int64(1), np.int64(0))
        is_unknown = _reduce(np.maximum, unknown, starts) > 0
        return np.where(is_unknown, -1, known), np.zeros(len(known), dtype=np.bool_)
    # A wait is shorter than the bound of the largest class, and at most as long as all waits.
    top, _ = rows.delays.find_top(rows.bucket)
    bounds = np.minimum(bound_longest(top), rows.columns[ContentionColumn.DELAY])
    bound = _reduce(np.maximum, np.where(is_open, bounds, 0), starts)
    is_bound: Bools = bound > known
    return np.where(is_bound, bound, known), is_bound


def _sum_delays(rows: ContentionRows, group: Int64s, ranked: Int64s) -> Int64s | None:
    """Return the waits by size of the groups that are shown: (n_ranked, N_DELAYS)."""
    if rows.delays is None:
        return None
    rank = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.int64)
    rank[ranked] = np.arange(len(ranked))
    return rows.delays.sum_groups(rows.bucket, rank[group], len(ranked))


def _name_rows(
    rows: ContentionRows, keys: Int64s, first: Int64s, grouping: Grouping
) -> list[LineName]:
    names = rows.stacks.names
    if grouping == "functions":
        return names.name_functions(keys)
    if grouping == "stacks":
        return [names.name_line(line) for line in rows.where[first].tolist()]
    locks = rows.locks
    named = []
    for lock in keys.tolist():
        text = locks.describe(lock) if locks is not None else ""
        file, line = locks.find_place(lock) if locks is not None else ("", 0)
        named.append(LineName(text or NO_LOCK, file, line))
    return named


def _name_calls(rows: ContentionRows, starts: Int64s, ranked: Int64s) -> tuple[str, ...]:
    """Return the function in which the stacks of each row end: (n_ranked,); "" if they end in the
    row's own line, or in different functions."""
    names = rows.stacks.names
    calls = names.key_functions(np.where(rows.end != rows.where, rows.end, -1).astype(np.int32))
    only = _find_only(calls, starts, several=-1)[ranked]
    return tuple(names.strings[name] if name >= 0 else "" for name in only.tolist())


def _name_locks(
    rows: ContentionRows, only: Int64s, starts: Int64s, ranked: Int64s
) -> tuple[str, ...]:
    if rows.locks is None:
        return ("",) * len(only)
    ends = np.append(starts[1:], len(rows.lock))
    texts = []
    for group, lock in zip(ranked.tolist(), only.tolist(), strict=True):
        if lock >= 0:
            texts.append(rows.locks.describe(lock))
        else:
            n_locks = len(np.unique(rows.lock[starts[group] : ends[group]]))
            texts.append(f"{n_locks} locks")
    return tuple(texts)
