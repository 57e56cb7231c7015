"""The table of the blocks in a cell of the heap map."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.live_blocks import BlockFacts, BlockFlag
from stackglass_viewer.presenter.tables.block_model import (
    BlockField,
    BlockModel,
    BlockTable,
    name_line,
)

pytestmark = pytest.mark.usefixtures("qt")


def make_block(size: int, lifetime_ns: int | None, type_name: str = "") -> BlockFacts:
    return BlockFacts(
        address=size * 16,
        size=size,
        type_name=type_name,
        domain=1,
        stack=0,
        tid=7,
        birth_ns=0,
        birth_event=size,
        death_ns=lifetime_ns,
        death_kind=None,
        flags=BlockFlag(0),
    )


TABLE = BlockTable(
    (make_block(10, 900, "b"), make_block(30, None, "a"), make_block(20, 1, "c")),
    (LineName("f", "/a/x.py", 3), LineName("g", "", 0), LineName("h", "y.py", 9)),
)


def make_model() -> BlockModel:
    model = BlockModel()
    tester = QAbstractItemModelTester(model)
    tester.setParent(model)
    model.set_table(TABLE)
    return model


def list_sizes(model: BlockModel) -> list[int]:
    blocks = [model.block_at(row) for row in range(model.rowCount())]
    return [block.size for block in blocks if block is not None]


def test_the_largest_is_first() -> None:
    assert list_sizes(make_model()) == [30, 20, 10]


@pytest.mark.parametrize(
    ("field", "sizes"),
    [
        (BlockField.LIFETIME, [10, 20, 30]),
        (BlockField.TYPE, [30, 10, 20]),
        (BlockField.SITE, [10, 30, 20]),
    ],
)
def test_any_column_sorts(field: BlockField, sizes: list[int]) -> None:
    model = make_model()
    down = Qt.SortOrder.AscendingOrder if field.is_text else Qt.SortOrder.DescendingOrder
    model.sort(list(BlockField).index(field), down)
    assert list_sizes(model) == sizes


def test_beyond_the_last_row_there_is_no_block() -> None:
    assert make_model().block_at(3) is None


def test_a_line_is_named_with_its_file() -> None:
    assert [name_line(site) for site in TABLE.sites] == ["f (x.py:3)", "g", "h (y.py:9)"]
