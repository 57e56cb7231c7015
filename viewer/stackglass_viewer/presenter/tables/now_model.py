"""Model of all threads, tasks and greenlets now: a row for each, tasks and greenlets indented."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass.threads.report import Report
from stackglass.wire.thread_states import NOT_BEGUN
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.live.thread_rows import Key, NowRow, arrange_rows, count_entries
from stackglass_viewer.model.units import format_clock, format_count, format_quantity
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    TableModel,
    keep_places,
)

_STEP = "    "
_OPEN, _FOLDED = "▾ ", "▸ "


class NowField(Field):
    """The columns."""

    NAME = Column(
        "Thread, task or greenlet",
        CellKind.NAME,
        "Tasks and greenlets stand below their thread, those with equal stacks in one row. "
        "Double-click: fold or open",
    )
    STATE = Column("State", CellKind.NAME)
    WAITED = Column(
        "Waiting",
        about="Time waited so far, where known: the longest of the row; ≥ means perhaps longer",
    )
    WAIT = Column("Waits in", CellKind.NAME, "The call or system call that waits, where known")
    FUNCTION = Column("Function", CellKind.NAME, "Innermost function outside the code that waits")
    PLACE = Column("Line", CellKind.PLACE)
    CREATOR = Column(
        "Created by",
        CellKind.NAME,
        "Function that created the thread or task. Those from before the attach have no recorded "
        "creator",
    )


class NowModel(TableModel):
    """One row for each thread, task or greenlet. Rows can be folded and searched. GUI thread."""

    function_chosen = Signal(str, str)  # name and file of the function of the chosen row

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(NowField), parent)
        self.stack = StackModel(self)
        self._report: Report | None = None
        self._at_ns = 0  # time of the report, since the session's start
        self._is_paused = False
        self._rows: tuple[NowRow, ...] = ()
        self._toggled: frozenset[Key] = frozenset()
        self._search = ""
        self._chosen: Key | None = None

    def set_report(self, report: Report | None, at_ns: int = 0) -> None:
        """Show another dump; None = there is no current dump. ``at_ns``: its time since the
        session's start."""
        self._report, self._at_ns = report, at_ns
        self._arrange()

    def pause(self, is_paused: bool) -> None:
        """Note whether the dump stays shown: then the summary names its time."""
        self._is_paused = is_paused
        self.summarise()

    def set_search(self, text: str) -> None:
        """Show only rows that contain ``text``; "" = all."""
        self._search = text
        self.begin_anew()
        self._arrange()

    def toggle(self, row: int) -> None:
        """Fold a row, or open it. A search keeps all threads open."""
        shown = self._row(row)
        if shown is None or (self._search and not shown.depth):
            return
        if shown.is_open is not None:
            self._toggled ^= {shown.key}
            self.begin_anew()
            self._arrange()

    def choose(self, row: int) -> None:
        """Show the stack of a row, and emit ``function_chosen``."""
        shown = self._row(row)
        self._chosen = shown.key if shown is not None else None
        self._emit_stack()
        if shown is not None and shown.stack:
            self.function_chosen.emit(shown.place.function, shown.place.file)

    def summarise(self) -> None:
        """Emit ``summary_changed`` again, for a view that was made after the last signal."""
        at_s = self._at_ns / 1e9 if self._is_paused else None
        found = count_entries(self._rows) if self._search else None
        self._set_summary(_describe(self._report, at_s, found) if self._report is not None else "")

    @property
    def is_searched(self) -> bool:
        return bool(self._search)

    @property
    def has_answer(self) -> bool:
        """Whether there is a current dump."""
        return self._report is not None

    def _arrange(self) -> None:
        report = self._report
        rows = arrange_rows(report, self._toggled, self._search) if report is not None else ()

        def put() -> None:
            self._rows = rows

        keys = [row.key for row in rows]
        before = [self._identify(row) for row in range(len(self._order))]
        order = np.arange(len(rows), dtype=np.int64)
        self._replace(self._choose_order(order, lambda: keep_places(order, keys, before)), put)
        self._emit_stack()
        self.summarise()

    def _emit_stack(self) -> None:
        row = self._row(self._find_row(self._chosen)) if self._chosen is not None else None
        lines = row.stack if row is not None else ()
        self.stack.set_lines([LineName(*line) for line in lines])

    def _row(self, row: int) -> NowRow | None:
        if not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def cell(self, row: int, column: int) -> Cell | None:
        shown = self._row(row)
        if shown is None:
            return None
        field = self._fields[column]
        line = shown.place
        match field:
            case NowField.NAME:
                fold = {None: "", True: _OPEN, False: _FOLDED}[shown.is_open]
                return Cell(field, _STEP * shown.depth + fold + shown.name)
            case NowField.STATE:
                return Cell(field, shown.state)
            case NowField.WAITED:
                waited_ns, is_above = max(shown.waited_ns, 0), shown.is_at_least
                return Cell(field, waited_ns, "nanoseconds", is_above=is_above)
            case NowField.WAIT:
                return Cell(field, shown.wait, keeps_end=True)
            case NowField.FUNCTION:
                return Cell(field, line.function, keeps_end=True)
            case NowField.CREATOR:
                return Cell(field, shown.creator, keeps_end=True)
            case _:
                return Cell(field, f"{line.file}:{line.number}" if line.number else line.file)

    def _identify(self, row: int) -> Key | None:
        shown = self._row(row)
        return shown.key if shown is not None else None

    def _rearrange(self) -> None:
        """Put the rows below their threads again: the order of the dump is the only one."""
        self._arrange()


def _describe(report: Report, at_s: float | None, found: Mapping[str, int] | None) -> str:
    """Return ``3 threads, 120 tasks, 40 greenlets now``; ``… at 0:42`` for an earlier moment
    ``at_s``; ``1 of 3 threads`` if only those ``found`` by a search are listed."""
    numbers = {
        "thread": len(report.threads),
        "task": len(report.task_names),
        "greenlet": len(report.greenlets),
    }
    text = ", ".join(
        format_quantity(n, kind) if found is None else _count_found(found.get(kind, 0), n, kind)
        for kind, n in numbers.items()
        if n or kind == "thread"
    )
    n_new = sum(greenlet.state == NOT_BEGUN for greenlet in report.greenlets)
    if n_new and found is None:
        text += f" ({format_count(n_new)} not begun)"
    steps = "" if report.is_one_moment else f", read in {report.n_slices} steps"
    if at_s is not None:
        return f"{text}{steps} at {format_clock(at_s)}"
    return f"{text}{steps or ' now'}"


def _count_found(n_found: int, n: int, kind: str) -> str:
    return f"{format_count(n_found)} of {format_quantity(n, kind)}"
