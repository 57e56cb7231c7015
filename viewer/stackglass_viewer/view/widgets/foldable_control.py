"""Foldable control: a segmented control that becomes a list where its buttons have no room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from stackglass_viewer.view.widgets.menu_button import MenuButton
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl


class FoldableControl(SegmentedControl):
    """A row of buttons, or a list in its place with the same choices."""

    def __init__(
        self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        """``name``: the name of the list for screen readers."""
        super().__init__(choices, parent)
        self._offered = dict.fromkeys((key for key, _ in choices), True)
        self._is_folded = False
        self._list = MenuButton(name, max((text for _, text in choices), key=len), self)
        self._list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._list.hide()
        self._list.menu().aboutToShow.connect(self._fill)
        self._row.addWidget(self._list)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for button in self.buttons:
            button.toggled.connect(self._show_chosen)

    @property
    def is_folded(self) -> bool:
        """Whether a list is shown in the place of the buttons."""
        return self._is_folded

    @property
    def open_px(self) -> int:
        """Width in pixels that the buttons need side by side."""
        margins = self._row.contentsMargins()
        widths_px = [
            button.sizeHint().width() for key, button in self._items() if self._offered[key]
        ]
        return sum(widths_px) + margins.left() + margins.right()

    @property
    def folded_px(self) -> int:
        """Width in pixels that the list needs."""
        margins = self._row.contentsMargins()
        return self._list.sizeHint().width() + margins.left() + margins.right()

    def set_folded(self, is_folded: bool) -> None:
        if is_folded == self._is_folded:
            return
        self._is_folded = is_folded
        for key, button in self._items():
            button.setVisible(self._offered[key] and not is_folded)
        self._list.setVisible(is_folded)
        self._show_chosen()
        self.updateGeometry()

    def set_visible(self, key: str, is_visible: bool) -> None:
        self._offered[key] = is_visible
        super().set_visible(key, is_visible and not self._is_folded)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return hint if self._is_folded else QSize(self.open_px, hint.height())

    def _items(self) -> list[tuple[str, QToolButton]]:
        return list(zip(self._offered, self.buttons, strict=True))

    def _show_chosen(self) -> None:
        for _, button in self._items():
            if button.isChecked():
                self._list.setText(button.text())
                self._list.setToolTip(button.toolTip())

    def _fill(self) -> None:
        menu = self._list.menu()
        menu.clear()
        for key, button in self._items():
            if not self._offered[key]:
                continue
            action = menu.addAction(button.text())
            action.setCheckable(True)
            action.setChecked(button.isChecked())
            action.setEnabled(button.isEnabled())
            action.triggered.connect(partial(self.press, key))

    def press(self, key: str, _is_checked: bool = True) -> None:
        """Choose, as a click does."""
        self.choose(key)
        self.chosen.emit(key)
