"""Model of the thread filter: the threads of a capture as a list with check boxes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from stackglass_viewer.model.patterns import Test, compile_pattern
from stackglass_viewer.model.units import format_count, make_printable
from stackglass_viewer.presenter.settings.thread_choice import NamePattern, ThreadChoice
from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_rows import make_pattern

Index = QModelIndex | QPersistentModelIndex

SHARE_ROLE = Qt.ItemDataRole.UserRole  # float, 0 … 1
_MOST_LETTERS = 18  # of a pattern in the button's text


class ThreadModel(QAbstractListModel):
    """The rows of the thread filter. Without a checked row, all threads are shown.

    Threads are chosen one by one, by a pattern of names, or by a folded row, which stands for
    several ended threads. A checked folded row includes threads that join it later. GUI thread.
    """

    chosen_changed = Signal(object)  # frozenset[int] of tids; None = all
    choice_made = Signal()  # by the user; a thread that begins or ends changes no choice

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[ThreadRow, ...] = ()  # in the order of set_rows
        self._all_keys: list[Hashable] = []  # identity of each of ``_all``
        self._rows: list[ThreadRow] = []  # the shown rows
        self._keys: list[Hashable] = []  # identity of each of ``_rows``
        self._chosen: frozenset[int] = frozenset()
        self._folded: frozenset[str] = frozenset()  # names of checked rows that are folded
        self._named: NamePattern | None = None  # if set, ``_chosen`` follows from it
        self._is_named: dict[str, bool] = {}  # whether the pattern matches a name
        self._search = ""
        self._is_held = False
        self._test: Test = bool  # the compiled pattern
        self._places: dict[Hashable, int] = {}  # while rows are held: the place of each key

    @property
    def chosen(self) -> frozenset[int] | None:
        """The shown threads; None = all. A pattern may match no thread."""
        return self._chosen if self._named is not None else self._chosen or None

    @property
    def named(self) -> NamePattern | None:
        """The pattern that chooses threads; None = they are chosen one by one, or all shown."""
        return self._named

    @property
    def choice(self) -> ThreadChoice:
        """The user's choice, without the threads that a pattern or a folded row adds to it."""
        if self._named is not None:
            return ThreadChoice(named=self._named)
        return ThreadChoice(self._chosen - self._list_followers(self._folded), self._folded)

    @property
    def tids(self) -> frozenset[int]:
        """The ids of all threads."""
        return frozenset(tid for row in self._all for tid in row.tids)

    @property
    def summary(self) -> str:
        """The button's text: ``All threads``, a name, ``3 threads``, or ``/work/``."""
        if self._named is not None:
            cut = self._named.pattern
            cut = cut if len(cut) <= _MOST_LETTERS else f"{cut[: _MOST_LETTERS - 1]}…"
            return f"{'not ' if self._named.is_excluded else ''}/{make_printable(cut)}/"
        if not self._chosen:
            return "All threads"
        if len(self._chosen) == 1:
            (tid,) = self._chosen
            named = (row.name for row in self._all if tid in row.tids)
            return make_printable(next(named, f"thread {tid}"))
        return f"{format_count(len(self._chosen))} threads"

    def set_rows(self, rows: Sequence[ThreadRow]) -> None:
        """Show these rows, in this order."""
        self._all, self._all_keys = tuple(rows), [_identify(row) for row in rows]
        self._follow()
        shown, keys = self._list_shown()
        if self._is_held:
            self._merge(shown, keys)
        elif keys != self._keys:
            self._reset(shown, keys)
        elif shown != self._rows:
            self._rows = shown
            self.dataChanged.emit(self.index(0), self.index(len(shown) - 1))

    def hold(self, is_held: bool) -> None:
        """Hold the rows while the list is open: they keep their places, and new ones come last."""
        self._is_held = is_held
        if is_held:
            self._places = {key: place for place, key in enumerate(self._all_keys)}
            return
        shown, keys = self._list_shown()
        if keys != self._keys:
            self._reset(shown, keys)

    def set_search(self, text: str) -> None:
        """Show only threads with ``text`` in their names, in any case; "" = all."""
        self._search = text.casefold()
        self._reset(*self._list_shown())

    def choose(self, tids: frozenset[int]) -> None:
        """Choose these threads alone; an empty set chooses all."""
        self._choose(tids, frozenset())

    def _choose(self, tids: frozenset[int], folded: frozenset[str]) -> None:
        """Choose threads, with the checked rows that some of them are folded into."""
        is_new = tids != self._chosen or self._named is not None
        self._folded, self._named = folded, None
        if is_new:
            self._replace(tids)
        self.choice_made.emit()

    def choose_named(self, named: NamePattern) -> None:
        """Choose the threads that a pattern matches, future ones included."""
        self._named, self._is_named = named, {}
        self._test = compile_pattern(named.pattern)
        self._folded = frozenset()
        self._replace(self._list_named())
        self.choice_made.emit()

    def restore(self, choice: ThreadChoice) -> None:
        """Restore an earlier choice."""
        if choice == self.choice:
            return
        if choice.named is not None:
            self.choose_named(choice.named)
        else:
            self._choose(choice.tids | self._list_followers(choice.folded), choice.folded)

    def _follow(self) -> None:
        """Update the chosen threads: a thread may have begun, ended, or been named."""
        is_named = self._named is not None
        tids = self._list_named() if is_named else self._chosen | self._list_followers(self._folded)
        if tids != self._chosen:
            self._replace(tids)

    def _list_named(self) -> frozenset[int]:
        assert self._named is not None
        tids = []
        for row in self._all:
            for tid, name in zip(row.tids, row.names or (row.name,), strict=True):
                if name not in self._is_named:
                    self._is_named[name] = self._test(name)
                if self._is_named[name] != self._named.is_excluded:
                    tids.append(tid)
        return frozenset(tids)

    def _replace(self, tids: frozenset[int]) -> None:
        self._chosen = tids
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))
        self.chosen_changed.emit(self.chosen)

    def _list_followers(self, folded: frozenset[str]) -> frozenset[int]:
        """Return the ended threads that these folded rows stand for."""
        followed = [row for row in self._all if _is_folded(row) and row.name in folded]
        return frozenset(tid for row in followed for tid in row.tids)

    def _list_shown(self) -> tuple[list[ThreadRow], list[Hashable]]:
        """Return the rows that pass the search, in order, and their keys."""
        rows, keys = list(self._all), list(self._all_keys)
        if self._is_held:
            places = [self._places.setdefault(key, len(self._places)) for key in keys]
            order = sorted(range(len(rows)), key=places.__getitem__)
            rows, keys = [rows[at] for at in order], [keys[at] for at in order]
        if self._search:
            found = [at for at, row in enumerate(rows) if self._is_found(row)]
            rows, keys = [rows[at] for at in found], [keys[at] for at in found]
        return rows, keys

    def _is_found(self, row: ThreadRow) -> bool:
        """Whether a row matches the search. A number in the search matches any number in
        the name of a folded row."""
        name = row.name.casefold()
        return self._search in name or (_is_folded(row) and make_pattern(self._search) in name)

    def _reset(self, rows: list[ThreadRow], keys: list[Hashable]) -> None:
        self.beginResetModel()
        self._rows, self._keys = rows, keys
        self.endResetModel()

    def _merge(self, rows: list[ThreadRow], keys: list[Hashable]) -> None:
        """Remove rows and append others, so that the current row and scrolling stay."""
        kept = set(keys)
        for row in reversed(range(len(self._keys))):
            if self._keys[row] not in kept:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row], self._keys[row]
                self.endRemoveRows()
        n_old = len(self._rows)
        # A row that passes the search only now, as its thread was named, comes last as well.
        place = {key: row for row, key in enumerate(self._keys)}
        order = sorted(range(len(keys)), key=lambda at: place.get(keys[at], n_old))
        rows, keys = [rows[at] for at in order], [keys[at] for at in order]
        if len(rows) > n_old:
            self.beginInsertRows(QModelIndex(), n_old, len(rows) - 1)
            self._rows, self._keys = rows, keys
            self.endInsertRows()
        self._rows = rows
        if n_old:
            self.dataChanged.emit(self.index(0), self.index(n_old - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsUserCheckable | flag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        n_threads = len(row.tids)
        if role == Qt.ItemDataRole.DisplayRole:
            name = make_printable(row.name)
            return name if n_threads == 1 else f"{name}  ×{format_count(n_threads)}"
        if role == SHARE_ROLE:
            return row.share
        if role == Qt.ItemDataRole.ToolTipRole:
            return _describe(row)
        if role == Qt.ItemDataRole.CheckStateRole:
            n_chosen = len(self._chosen.intersection(row.tids))
            if n_chosen == n_threads:
                return Qt.CheckState.Checked
            return Qt.CheckState.PartiallyChecked if n_chosen else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        row = self._rows[index.row()]
        folded = frozenset((row.name,) if _is_folded(row) else ())
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._choose(self._chosen.union(row.tids), self._folded | folded)
        else:
            self._choose(self._chosen.difference(row.tids), self._folded - folded)
        return True


def _is_folded(row: ThreadRow) -> bool:
    return len(row.tids) > 1


def _identify(row: ThreadRow) -> Hashable:
    """Return the identity of a row: the pattern of a folded row, else the thread id."""
    return row.name if _is_folded(row) else row.tids


def _describe(row: ThreadRow) -> str:
    if len(row.tids) > 1:
        return f"{format_count(len(row.tids))} threads that ended"
    (tid,) = row.tids
    if not tid:
        return "The thread was not identified"
    return f"thread id {tid}{', ended' if row.is_ended else ''}"
