"""Rows of the thread filter: by share, with ended threads of similar names folded into one row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from stackglass_viewer.presenter.settings.view_state import ThreadRow

_NUMBER = re.compile(r"\d+")
_LEAST_FOLDED = 2


def make_pattern(name: str) -> str:
    """Return the name with ``#`` in place of numbers: ``worker #``. Threads are folded by it."""
    return _NUMBER.sub("#", name)


def fold_threads(rows: Iterable[ThreadRow]) -> tuple[ThreadRow, ...]:
    """Return the rows to be shown, with the largest share first. Any thread; slow for thousands.

    Ended threads with names that differ only in numbers share a row: ``thread-pool worker #``.
    """
    ended: list[tuple[str, ThreadRow]] = []
    shown: list[ThreadRow] = []
    for row in rows:
        if row.is_ended:
            ended.append((make_pattern(row.name), row))
        else:
            shown.append(row)
    ended.sort(key=lambda pair: pair[0])
    for pattern, pairs in groupby(ended, key=lambda pair: pair[0]):
        group = [row for _, row in pairs]
        shown.append(_fold(pattern, group) if len(group) >= _LEAST_FOLDED else group[0])
    return tuple(sorted(shown, key=lambda row: (-row.share, row.name, row.tids)))


def _fold(pattern: str, group: list[ThreadRow]) -> ThreadRow:
    group.sort(key=lambda row: row.tids)
    tids = tuple(tid for row in group for tid in row.tids)
    names = tuple(row.name for row in group)
    share = sum(row.share for row in group)
    return replace(group[0], tids=tids, name=pattern, share=share, names=names)
