"""Block choice: the list of blocks in a cell of the map or in an arena, and the shown block."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.live_blocks import BlockFacts, BlockFlag, Moment
from stackglass_viewer.model.memory_trace.site_table import name_site
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import show_time
from stackglass_viewer.model.units import format_quantity, format_value
from stackglass_viewer.presenter.memory_trace.block_texts import (
    Fact,
    describe_block,
    explain_missing_stack,
    list_frames,
)
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.tables.block_model import BlockModel, BlockTable
from stackglass_viewer.presenter.worker import Worker

_MOST_BLOCKS = 50


@dataclass(frozen=True, slots=True)
class MapCell:
    """A range of addresses at a time, in which blocks are looked up."""

    low: int
    high: int  # exclusive
    time_ns: int
    is_coarse: bool = False  # the picture is coarse: it may show blocks of neighbouring cells


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """The facts about one block in words."""

    facts: BlockFacts
    rows: tuple[Fact, ...]
    frames: tuple[LineName, ...]  # innermost first
    no_stack: str  # why there are no frames; "" = there are frames


class BlockChoice(QObject):
    """Lists the blocks of a cell into ``model``, and shows one of them. GUI thread."""

    listed = Signal(str)  # the list has changed; its description
    shown = Signal(object)  # ShownBlock; None = no block is shown
    failed = Signal(str)

    def __init__(
        self, trace: MemoryTrace, turns: Turns, worker: Worker, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        self._turns = turns
        self._worker = worker
        self.model = BlockModel(self)

    def choose_cell(self, cell: MapCell) -> None:
        """List the largest blocks in a cell, and show the first."""
        trace, turns = self._trace, self._turns

        def compute() -> tuple[Moment, BlockTable]:
            with turns.ask():
                moment = trace.find_moment(cell.time_ns)
                found = trace.list_blocks(moment, cell.low, cell.high, _MOST_BLOCKS)
            return moment, BlockTable(
                tuple(found), tuple(_name_site(trace, block) for block in found)
            )

        def take(answer: tuple[Moment, BlockTable]) -> None:
            self.model.begin_anew()
            self.model.set_table(answer[1])
            self.listed.emit(describe_cell(trace, cell, *answer))
            self.choose_row(0)

        self._worker.submit(
            "blocks", compute, take, lambda error: self.failed.emit(" ".join(str(error).split()))
        )

    def choose_row(self, row: int) -> None:
        """Show the block of a row; no block if there is no such row."""
        facts = self.model.block_at(row)
        if facts is None:
            self.shown.emit(None)
            return
        trace = self._trace
        frames = list_frames(trace, facts)
        no_stack = "" if frames else explain_missing_stack(trace, facts)
        self.shown.emit(ShownBlock(facts, describe_block(trace, facts), frames, no_stack))


def describe_cell(trace: MemoryTrace, cell: MapCell, moment: Moment, table: BlockTable) -> str:
    """Return one sentence about the list."""
    n, time = len(table.blocks), show_time(trace, moment)
    place = f"0x{cell.low:x}, {format_value(cell.high - cell.low, 'bytes')}, at {time}"
    if not n:
        why = " The picture is coarse: look in neighbouring cells." if cell.is_coarse else ""
        return f"No block lives at {place}.{why}"
    if n == _MOST_BLOCKS:
        return f"The {n} largest blocks at {place}."
    return f"{format_quantity(n, 'block')} at {place}."


def _name_site(trace: MemoryTrace, block: BlockFacts) -> LineName:
    is_before = bool(block.flags & BlockFlag.BORN_BEFORE)
    return name_site(trace.names, block.stack, 0, is_before)
