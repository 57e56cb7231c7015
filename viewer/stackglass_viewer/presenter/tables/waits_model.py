"""Model of the waiting threads: each thread is a row below the holder that it waits for."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass.wire.lock_waits import INSIDE
from stackglass_viewer.model.contention.lock_waits import WaitingThread, WaitsTable
from stackglass_viewer.model.units import format_clock, format_quantity
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.table_model import (
    ORDER_HELD,
    Cell,
    CellKind,
    Column,
    Field,
    TableModel,
    keep_places,
)

_STEP = "   "
_BELOW = "└ "
_EARLIER = "before attach"
_HOLDER_ABOUT = (
    "Unknown: the engine did not see the lock being acquired. None: queues and events have no "
    "holder. Inside its with: not seen either, but the lock is held and only this thread is in a "
    "with block of it. Double-click: go to the holder's row"
)


class WaitsField(Field):
    """The columns."""

    WAITED = Column(
        "Waiting",
        about="Time waited so far; – means not waiting for a lock. ≥ and before attach: the wait "
        "began before the attach",
    )
    THREAD = Column("Thread", CellKind.NAME, "Indented below the thread it waits for")
    LOCK = Column("For", CellKind.NAME, "The lock the thread waits for")
    HOLDER = Column("Held by", CellKind.NAME, _HOLDER_ABOUT)
    NAME = Column("Function", CellKind.NAME)
    PLACE = Column("Line", CellKind.PLACE)


class WaitsModel(TableModel):
    """One row for each thread, waiters below their holder unless rows are held."""

    summarised = Signal(object, str)  # tuple of sentences about deadlocks; how many threads wait
    function_chosen = Signal(str, str)  # name and file of the function of the chosen row

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(WaitsField), parent)
        self.stack = StackModel(self)
        self._table: WaitsTable | None = None
        self._is_past = False  # whether the table is of an earlier moment
        self._is_paused = False
        self._chosen = -1  # id of the chosen thread

    def set_table(self, table: WaitsTable | None, is_past: bool = False) -> None:
        """Show a report of the engine; None = there is none. ``is_past``: the report is
        of an earlier moment, which the summary names."""

        def put() -> None:
            self._table = table
            self._is_past = is_past

        if _moment_of(table, is_past) != _moment_of(self._table, self._is_past):
            self.begin_anew()  # most threads are other ones: held rows would be empty
        tids = [row.tid for row in table.rows] if table is not None else []
        order = np.arange(len(tids), dtype=np.int64)
        before = [self._identify(row) for row in range(len(self._order))]
        kept = self._choose_order(order, lambda: keep_places(order, tids, before))
        self._replace(kept, put)
        self._emit_stack()
        self.summarise()

    def pause(self, is_paused: bool) -> None:
        """Note whether the report stays shown: then the summary names its time."""
        self._is_paused = is_paused
        self.summarise()

    def summarise(self) -> None:
        """Emit ``summarised`` again, for a view that was made after the last signal."""
        table = self._table
        if table is None:
            self.summarised.emit((), "")
            return
        sentences = (
            *(f"Deadlock: {cycle}." for cycle in table.cycles),
            *(f"Possible deadlock, not every holder is proven: {x}." for x in table.possible),
        )
        text = _count_waiting(table, self._is_past or self._is_paused)
        held = f"{text}  ·  {ORDER_HELD}" if self.is_order_held else text
        self.summarised.emit(sentences, held)

    @property
    def has_answer(self) -> bool:
        """Whether there is a report."""
        return self._table is not None

    @property
    def moment(self) -> str:
        """A sentence on when the threads waited; "" = now."""
        if self._table is None or not (self._is_past or self._is_paused):
            return ""
        at = format_clock(self._table.at_ns / 1e9)
        if not self._is_past:
            return f"Paused: as of {at}."
        return f"As of {at}, when the process was last asked."

    @property
    def has_earlier(self) -> bool:
        """Whether a thread's wait began before locks were watched."""
        rows = self._table.rows if self._table is not None else ()
        return any(row.is_earlier for row in rows)

    def holder_row(self, row: int) -> int:
        """Return the row of the holder that a row's thread waits for; -1 = not known."""
        thread = self._row(row)
        return self._find_row(thread.holder_tid) if thread is not None and thread.holder_tid else -1

    def choose(self, row: int) -> None:
        """Show the stack of a row's thread, and emit ``function_chosen``."""
        thread = self._row(row)
        self._chosen = thread.tid if thread is not None else -1
        self._emit_stack()
        if thread is not None:
            self.function_chosen.emit(thread.where.function, thread.where.file)

    def _emit_stack(self) -> None:
        table, row = self._table, self._find_row(self._chosen)
        at = int(self._order[row]) if row >= 0 else -1
        self.stack.set_lines(table.list_stack(at) if table is not None and at >= 0 else [])

    def _row(self, row: int) -> WaitingThread | None:
        if self._table is None or not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        return self._table.rows[at] if at >= 0 else None

    def cell(self, row: int, column: int) -> Cell | None:
        thread = self._row(row)
        if thread is None:
            return None
        field, is_bad = self._fields[column], thread.is_in_cycle
        match field:
            case WaitsField.WAITED:
                if thread.is_earlier and thread.waited_ns < 0:
                    return Cell(field, _EARLIER, is_bad=is_bad)
                waited_ns, is_above = max(thread.waited_ns, 0), thread.is_earlier
                return Cell(field, waited_ns, "nanoseconds", is_above=is_above, is_bad=is_bad)
            case WaitsField.THREAD:
                is_below = thread.depth and self._is_below_holder(row, thread)
                below = _STEP * (thread.depth - 1) + _BELOW if is_below else ""
                return Cell(field, below + thread.name, is_bad=is_bad)
            case WaitsField.LOCK:
                lock = thread.lock or thread.call
                return Cell(field, lock, is_bad=is_bad, keeps_end=True)
            case WaitsField.HOLDER:
                return Cell(field, _describe_holder(thread), is_bad=is_bad)
            case WaitsField.NAME:
                return Cell(field, thread.where.function, keeps_end=True)
            case _:
                line = f":{thread.where.number}" if thread.where.number else ""
                return Cell(field, thread.where.file + line)

    def _is_below_holder(self, row: int, thread: WaitingThread) -> bool:
        """Whether a row is below that of the thread's holder; rows that are held may not be."""
        if not self.is_order_held:
            return True
        above = (self._row(at) for at in range(row - 1, -1, -1))
        nearest = next((each for each in above if each and each.depth < thread.depth), None)
        return nearest is not None and nearest.tid == thread.holder_tid

    def _identify(self, row: int) -> int | None:
        thread = self._row(row)
        return thread.tid if thread is not None else None

    def _rearrange(self) -> None:
        """Put waiters below their holders again: the order of the report is the only one."""
        self.set_table(self._table, self._is_past)


def _moment_of(table: WaitsTable | None, is_past: bool) -> int | None:
    """Return the earlier moment of a report; None = it is of now."""
    return table.at_ns if table is not None and is_past else None


def _describe_holder(thread: WaitingThread) -> str:
    if thread.is_waiting and not thread.holder:
        return "unknown" if thread.may_be_held else "none"
    return f"{thread.holder}, {INSIDE}" if thread.is_holder_inside else thread.holder


def _count_waiting(table: WaitsTable, is_earlier: bool) -> str:
    when = f"at {format_clock(table.at_ns / 1e9)}" if is_earlier else "now"
    if not table.n_waiting:
        return f"No thread waiting for a lock {when}"
    return f"{format_quantity(table.n_waiting, 'thread')} waiting for a lock {when}"
