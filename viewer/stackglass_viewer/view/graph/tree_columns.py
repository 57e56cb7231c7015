"""Column widths of the call tree: names come first, then numbers, then files."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTreeView

from stackglass_viewer.presenter.document.tree_model import TreeColumn

_NUMBERS_PX = {TreeColumn.TOTAL: 96, TreeColumn.SHARE: 76, TreeColumn.OWN: 96}
_PLACE_PX, _LEAST_PLACE_PX = 240, 110  # first width of the files, and the least that is of use
_NAME_PX = 280  # names have at least this width before files have any
_LEAST_NAME_PX = 180  # numbers are hidden rather than leave less to the names
_FIRST_HIDDEN = (TreeColumn.OWN, TreeColumn.SHARE)


class TreeColumns:
    """Shares the width of a call tree. Names take what the other columns leave.

    With less room, files shrink and are then hidden, and then numbers. A column of files that the
    user has dragged keeps its width while there is room for names beside it.
    """

    def __init__(self, tree: QTreeView) -> None:
        self._tree = tree
        self._place_px = 0  # width that the user has chosen for files; 0 = none
        self._is_sharing = False
        header = tree.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(TreeColumn.NAME, QHeaderView.ResizeMode.Stretch)
        for column, width_px in _NUMBERS_PX.items():
            tree.setColumnWidth(column, width_px)
        header.sectionResized.connect(self._on_resized)

    def share(self) -> None:
        """Share the width anew, after the tree's width has changed."""
        room_px = self._tree.viewport().width()
        shown = list(_NUMBERS_PX)
        for column in _FIRST_HIDDEN:
            if room_px - sum(map(self._find_width, shown)) < _LEAST_NAME_PX:
                shown.remove(column)
        room_px -= sum(map(self._find_width, shown))
        wanted_px = self._place_px or _PLACE_PX
        least_px = _LEAST_NAME_PX if self._place_px else _NAME_PX
        place_px = min(wanted_px, room_px - least_px)
        has_place = place_px >= min(wanted_px, _LEAST_PLACE_PX)
        self._is_sharing = True
        for column in _FIRST_HIDDEN:
            self._tree.setColumnHidden(column, column not in shown)
        self._tree.setColumnHidden(TreeColumn.PLACE, not has_place)
        if has_place:
            self._tree.setColumnWidth(TreeColumn.PLACE, place_px)
        self._is_sharing = False

    def _find_width(self, column: TreeColumn) -> int:
        """Return the width of a column of numbers; of a hidden one, the width it had."""
        return self._tree.columnWidth(column) or _NUMBERS_PX[column]

    def _on_resized(self, column: int, _old_px: int, new_px: int) -> None:
        if column == TreeColumn.PLACE and not self._is_sharing:
            self._place_px = new_px
