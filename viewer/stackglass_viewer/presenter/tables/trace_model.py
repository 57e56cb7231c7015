"""Model of the trace table: each distinct stack with its value and labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.graph.trace_list import TraceList
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.units import (
    format_count,
    format_quantity,
    format_share,
    format_value,
    make_printable,
)
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    rank_texts,
    say_cell,
)

_MOST_SHOWN = 12  # functions of a stack in its row, which has room for fewer
_MOST_IN_TIP = 40  # functions of a stack in its tool tip
_CALLED_BY = " ← "
_MORE = "…"


class TraceField(Field):
    """The columns."""

    VALUE = Column("Value", about="Sum over the samples with this stack and these labels")
    SHARE = Column("Share", CellKind.SHARE, "Of everything that is shown")
    STACK = Column("Stack", CellKind.NAME, "The function that ran, and left to right its callers")
    LABELS = Column("Labels", CellKind.NAME)


@dataclass(frozen=True, slots=True, eq=False)
class ShownTraces:
    """Traces, and which of them a search has found."""

    traces: TraceList
    is_found: Bools  # (n_traces,)
    identity: Int64s  # (n_traces,) see ``identify_traces``
    whole: int  # what 100 % is
    unit: str
    is_change: bool  # values are differences
    problem: str = ""  # what is wrong with the pattern; "" = nothing


class TraceModel(SortedModel[ShownTraces]):
    """One row for each trace, perhaps a hundred thousand: cells are made when they are painted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(TraceField), parent)
        self._is_known = False

    @property
    def is_known(self) -> bool:
        """Whether the traces were listed once, even if there are none."""
        return self._is_known

    @property
    def has_traces(self) -> bool:
        """Whether there are traces, found by the search or not."""
        return self._table is not None and self._table.traces.n_traces > 0

    @property
    def has_labels(self) -> bool:
        """Whether any trace has labels."""
        return self._table is not None and any(self._table.traces.label_texts)

    def set_traces(self, shown: ShownTraces | None) -> None:
        """Show other traces; None = there are none."""
        self._is_known = True
        self._take(shown)
        self._set_summary(self._summarise())

    def describe(self, row: int) -> tuple[str, str]:
        """Return the value of a trace with its share, and its labels; "" = there is no such row."""
        found = self._locate(row)
        if found is None:
            return "", ""
        shown, at = found
        cells = (self.cell(row, column) for column in (0, 1))
        value, share = (say_cell(cell) for cell in cells if cell is not None)
        return f"{value}  ·  {share}", shown.traces.label_texts[shown.traces.labels[at]]

    def name_stack(self, row: int) -> list[str]:
        """Return the functions of a row's stack, innermost first."""
        found = self._locate(row)
        return [] if found is None else found[0].traces.name_stack(found[1])

    def list_lines(self, row: int) -> list[LineName]:
        """Return the functions of a row's stack, with the line of each definition."""
        found = self._locate(row)
        if found is None:
            return []
        traces, at = found[0].traces, found[1]
        tree = traces.tree
        line = tree.frame_line
        return [
            LineName(
                tree.frame_name[frame],
                tree.frame_file[frame],
                0 if line is None else int(line[frame]),
            )
            for frame in traces.list_frames(at)
        ]

    def write_trace(self, row: int) -> str:
        """Return a trace as ``stackglass traces`` prints it: labels, value and stack on lines of
        their own."""
        value, labels = self.describe(row)
        if not value:
            return ""
        names = [make_printable(name) for name in self.name_stack(row)]
        return "\n".join([*([labels] if labels else []), value, *(f"    {name}" for name in names)])

    def _summarise(self) -> str:
        if self._table is None:
            return ""
        shown, n_all, n_found = self._table, self._table.traces.n_traces, self.n_filled
        text = format_quantity(n_all, "stack")
        if shown.problem:
            return shown.problem
        if n_found == n_all:
            return text
        found = int(shown.traces.value[shown.is_found].sum())
        share = f", {format_share(abs(found) / shown.whole)}" if shown.whole else ""
        return f"{format_count(n_found)} of {text}: {format_value(found, shown.unit)}{share}"

    # -- cells

    def _make_cell(self, table: ShownTraces, at: int, field: Field) -> Cell:
        traces = table.traces
        value = int(traces.value[at])
        match field:
            case TraceField.VALUE:
                return Cell(field, value, table.unit, table.is_change, is_signed=True)
            case TraceField.SHARE:
                share = value / table.whole if table.whole else 0.0
                return Cell(field, share, is_change=table.is_change, is_signed=True)
            case TraceField.LABELS:
                return Cell(field, traces.label_texts[traces.labels[at]])
            case _:
                return Cell(
                    field,
                    _write_stack(traces, at, _MOST_SHOWN, _CALLED_BY),
                    about=_write_stack(traces, at, _MOST_IN_TIP, "\n"),
                )

    def copied_cell(self, row: int, column: int) -> Cell | None:
        """Return a cell for the clipboard, with the whole stack."""
        found = self._locate(row)
        if found is None or self._fields[column] is not TraceField.STACK:
            return self.cell(row, column)
        return Cell(TraceField.STACK, _CALLED_BY.join(self.name_stack(row)))

    def _arrange(self, table: ShownTraces) -> Int64s:
        traces = table.traces
        found = np.flatnonzero(table.is_found).astype(np.int64)  # the largest first
        match self._sorted_by:
            case TraceField.STACK:
                keys = traces.name_rank[traces.tree.frame[traces.node[found]]]
            case TraceField.LABELS:
                keys = rank_texts(traces.label_texts)[traces.labels[found]]
            case _:  # by value; differences by the size of the change, as in pprof
                return found if self._is_descending else found[::-1].copy()
        return found[np.argsort(-keys if self._is_descending else keys, kind="stable")]

    # -- rows that keep their places

    def _identify(self, row: int) -> Hashable:
        found = self._locate(row)
        return None if found is None else int(found[0].identity[found[1]])

    def _identify_all(self) -> Sequence[Hashable]:
        """Return the identities of all rows at once: there may be a hundred thousand."""
        if self._table is None:
            return []
        places, known = self._order.tolist(), self._table.identity.tolist()
        return [known[at] if at >= 0 else None for at in places]


def _write_stack(traces: TraceList, trace: int, most: int, between: str) -> str:
    frames = traces.list_frames(trace, most + 1)
    names = [traces.tree.frame_name[frame] for frame in frames[:most]]
    return between.join([*names, _MORE] if len(frames) > most else names)
