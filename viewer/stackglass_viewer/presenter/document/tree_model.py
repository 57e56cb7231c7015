"""Call tree of a tab as an item model: each row has its callees below it, the largest first."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.model.units import (
    format_change,
    format_share,
    format_value,
    make_printable,
)
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    details_of,
    find_present,
)
from stackglass_viewer.presenter.tables.copied_rows import write_number
from stackglass_viewer.presenter.tables.table_model import ORDER_HELD

SHARE_ROLE = int(Qt.ItemDataRole.UserRole)
"""The share of the whole in ``Cum %``, -1 … 1: below zero for what shrank in a difference."""
Index = QModelIndex | QPersistentModelIndex
Path = tuple[tuple[str, str], ...]
"""Names and files of the functions from the root to a call."""


class TreeColumn(IntEnum):
    """Columns in their order."""

    TOTAL = 0
    SHARE = 1
    OWN = 2
    NAME = 3
    PLACE = 4


_TITLES = ("Cum", "Cum %", "Flat", "Function", "File")
_NUMBERS = (TreeColumn.TOTAL, TreeColumn.SHARE, TreeColumn.OWN)


class CallTreeModel(QAbstractItemModel):
    """Item model of a scene's call tree. The id of an index is its node number; children are listed
    when Qt asks for them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scene: FlameScene | None = None
        self._children: dict[int, list[int]] = {}
        self._row: dict[int, int] = {}  # row of each listed node among its siblings
        self._has_child: Bools = np.zeros(0, dtype=np.bool_)
        self._kept: dict[Path, dict[tuple[str, str], int]] = {}  # rows of the scene before
        self._is_order_held = False  # whether some listed children are not in order of size

    @property
    def scene(self) -> FlameScene | None:
        return self._scene

    @property
    def is_order_held(self) -> bool:
        """Whether some listed rows kept their places, and so are not in order of size."""
        return self._is_order_held

    def set_scene(self, scene: FlameScene | None, keeps_order: bool = False) -> None:
        """Show another scene; None = nothing. With ``keeps_order`` known children keep their places
        among their siblings."""
        kept = (
            {
                self.path_of(node): {self._key(child): at for at, child in enumerate(children)}
                for node, children in self._children.items()
            }
            if keeps_order
            else {}
        )
        self.beginResetModel()
        self._scene, self._kept, self._is_order_held = scene, kept, False
        self._children, self._row = {}, {}
        self._has_child = self._find_parents()
        self.endResetModel()

    def _find_parents(self) -> Bools:
        if self._scene is None:
            return np.zeros(0, dtype=np.bool_)
        tree = self._scene.tree
        has_child: Bools = np.zeros(tree.n_nodes, dtype=np.bool_)
        has_child[tree.parent[1:][find_present(self._scene, slice(1, None))]] = True
        return has_child

    # -- nodes

    def children_of(self, node: int) -> list[int]:
        """Return the callees of a node, the largest first; known ones may keep their places."""
        if node not in self._children:
            listed = self._list_children(node)
            self._children[node] = listed
            self._row.update({child: row for row, child in enumerate(listed)})
        return self._children[node]

    def _list_children(self, node: int) -> list[int]:
        scene = self._scene
        if scene is None or not self._has_child[node]:
            return []
        nodes = np.flatnonzero(scene.tree.parent == node)
        totals = scene.values.total[nodes]
        order = np.argsort(-np.abs(totals), kind="stable")
        listed: list[int] = nodes[order][find_present(scene, nodes[order])].tolist()
        places = self._kept.get(self.path_of(node)) if self._kept else None
        if places is None:
            return listed
        held = sorted(listed, key=lambda child: places.get(self._key(child), len(places)))
        self._is_order_held |= held != listed
        return held

    def _key(self, node: int) -> tuple[str, str]:
        assert self._scene is not None
        tree, frame = self._scene.tree, int(self._scene.tree.frame[node])
        return (tree.frame_name[frame], tree.frame_file[frame]) if frame >= 0 else ("", "")

    def path_of(self, node: int) -> Path:
        """Return the path of a node of the scene."""
        assert self._scene is not None
        path = []
        while node > 0:
            path.append(self._key(node))
            node = int(self._scene.tree.parent[node])
        return tuple(reversed(path))

    def find(self, path: Path) -> QModelIndex:
        """Return the index of a path; invalid = the tree has no such path."""
        node = 0
        for step in path:
            node = next((each for each in self.children_of(node) if self._key(each) == step), -1)
            if node < 0:
                return QModelIndex()
        return self._find_node(node)

    def _find_node(self, node: int) -> QModelIndex:
        """Return the index of a listed node in the first column; invalid for the root."""
        return self.createIndex(self._row[node], 0, node) if node > 0 else QModelIndex()

    def reveal(self, node: int) -> QModelIndex:
        """Return the index of a node of the scene, at any depth; invalid = it has no value."""
        assert self._scene is not None
        way = [node]
        while way[-1] > 0:
            way.append(int(self._scene.tree.parent[way[-1]]))
        for caller in reversed(way[1:]):
            self.children_of(caller)
        is_listed = all(each in self._row for each in way[:-1])
        return self._find_node(node) if is_listed else QModelIndex()

    def frame_of(self, index: Index) -> int:
        """Return the function of a row; -1 = there is none."""
        if self._scene is None or not index.isValid():
            return -1
        return int(self._scene.tree.frame[index.internalId()])

    # -- the model

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        node = parent.internalId() if parent is not None and parent.isValid() else 0
        children = self.children_of(node)
        if 0 <= row < len(children) and 0 <= column < len(TreeColumn):
            return self.createIndex(row, column, children[row])
        return QModelIndex()

    def parent(self, index: Index | None = None) -> Any:
        """Return the parent of ``index``; without an index, the parent of the QObject."""
        if index is None:
            return super().parent()
        if self._scene is None or not index.isValid():
            return QModelIndex()
        return self._find_node(int(self._scene.tree.parent[index.internalId()]))

    def hasChildren(self, parent: Index | None = None) -> bool:
        if parent is not None and parent.column() > 0:
            return False
        node = parent.internalId() if parent is not None and parent.isValid() else 0
        return bool(node < len(self._has_child) and self._has_child[node])

    def rowCount(self, parent: Index | None = None) -> int:
        if parent is not None and parent.column() > 0:
            return 0
        node = parent.internalId() if parent is not None and parent.isValid() else 0
        return len(self.children_of(node))

    def columnCount(self, parent: Index | None = None) -> int:
        return len(TreeColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._scene is None:
            return None
        column = TreeColumn(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return _write(details_of(self._scene, index.internalId()), column)
        if role == SHARE_ROLE and column is TreeColumn.SHARE:
            return details_of(self._scene, index.internalId()).share
        if role == Qt.ItemDataRole.ToolTipRole and column in (TreeColumn.NAME, TreeColumn.PLACE):
            details = details_of(self._scene, index.internalId())
            return "\n".join(filter(None, map(make_printable, (details.name, details.place))))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title_names() if section == TreeColumn.NAME else _TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = section in _NUMBERS
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _title_names(self) -> str:
        title = _TITLES[TreeColumn.NAME]
        if self._scene is not None and self._scene.is_inverted:
            title += ", callees first"
        return f"{title}  ·  {ORDER_HELD}" if self._is_order_held else title


def find_row_of(
    scene: FlameScene | None, frame: int, opened: Collection[int], *, is_open_only: bool
) -> int:
    """Return the node of a function's most expensive row; -1 = it has none. O(n_nodes).

    ``opened``: the nodes of expanded rows. A row that they lead to comes first; one inside a
    collapsed row is returned only if there is no other, and not with ``is_open_only``.
    """
    if scene is None or frame < 0:
        return -1
    tree, totals = scene.tree, scene.values.total
    nodes = np.flatnonzero(tree.frame == frame)
    nodes = nodes[find_present(scene, nodes)]  # of these few only: there may be millions of nodes
    ways: set[int] = {0}
    for node in sorted(opened):  # callers have lower numbers than their callees
        if int(tree.parent[node]) in ways:
            ways.add(node)
    shown = nodes[np.isin(tree.parent[nodes], list(ways))]
    found = shown if len(shown) or is_open_only else nodes
    return int(found[np.argmax(np.abs(totals[found]))]) if len(found) else -1


def write_row(row: QModelIndex, depth: int) -> str:
    """Return a row as text for the clipboard, with its name indented by its depth."""
    cells = [str(row.siblingAtColumn(column).data()) for column in TreeColumn]
    for column in _NUMBERS:
        cells[column] = write_number(cells[column])
    cells[TreeColumn.NAME] = "  " * depth + cells[TreeColumn.NAME]
    return "\t".join(cells)


def _write(details: FrameDetails, column: TreeColumn) -> str:
    write = format_change if details.is_change else format_value
    match column:
        case TreeColumn.TOTAL:
            return write(details.total, details.unit)
        case TreeColumn.SHARE:
            # A change has no sign here, as in the table: the value beside it has one.
            return format_share(abs(details.share) if details.is_change else details.share)
        case TreeColumn.OWN:
            return write(details.own, details.unit) if details.own else "–"
        case TreeColumn.NAME:
            return make_printable(details.name)
        case TreeColumn.PLACE:
            return make_printable(details.place)
