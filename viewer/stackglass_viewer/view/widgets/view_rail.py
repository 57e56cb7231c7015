"""View rail: buttons at the left edge of a tab, which choose the view.

A high and wide window has one column of buttons with captions. A low or narrow window has one
column of icons, or two where one would be too high, as beside an open timeline on a small screen.
In a wide window the rail is as wide without captions as with them, so that a bar or message that
takes height from it does not move the views sideways.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.pan_drag import PanDrag
from stackglass_viewer.view.widgets.theme import Theme

_PAIR = "both"  # a pair of views, which cannot be put beside another view
_VIEWS = (  # name, caption, icon, tool tip
    ("flame", "Flame", "flame", "Flame graph (1)"),
    ("both", "Both", "split", "Flame graph and table (2)"),
    ("top", "Table", "table", "Table of functions (3)"),
    ("tree", "Call tree", "tree", "Call tree: a row for each function, below its caller (Y)"),
    (
        "traces",
        "Traces",
        "traces",
        "Traces: each distinct stack with its value and labels, the largest first (R)",
    ),
    (DETAILS, "Sites", "heap", ""),
    (
        "sandwich",
        "Sandwich",
        "sandwich",
        "Sandwich: a function with its callers above and its callees below (5)",
    ),
    (
        "source",
        "Source",
        "source",
        "Source: the file of a function, with what each line costs (6)",
    ),
    ("labels", "Labels", "labels", "Labels: what each value of a label costs; a click filters (7)"),
    ("summary", "Summary", "summary", "Summary: what stands out, in words (8)"),
    (
        "graph",
        "Call graph",
        "graph",
        "Call graph: which function calls which, as boxes and arrows (9)",
    ),
    (
        "time",
        "Over time",
        "lanes",
        "Over time: lanes of all threads, the calls of one thread, a heat map (O)",
    ),
)
_DETAILS = {  # caption, icon and tool tip of the details button, by sample type
    "heap": ("Sites", "heap", "Sites: where the memory in use was allocated (4)"),
    "contention": (
        "Waits",
        "contention",
        "Waits: for locks and the GIL, with holders and durations (4)",
    ),
    "": (
        "Sites",
        "heap",
        "Sites of the heap, or waits: choose heap or contention as sample type (F4) to see them",
    ),
}
_CAPTIONED, _BARE, _PAIRED = QSize(66, 44), QSize(36, 30), QSize(32, 30)
_WIDE_BARE = QSize(_CAPTIONED.width(), _BARE.height())
_CAPTIONED_FROM_PX = 40  # height of a button from which on captions appear: at 1280 × 720 they do
_LEAST_PX, _LEAST_BARE_PX = 36, 26  # heights while a message takes room from the rail
_ICON_PX = 16
_MARGIN_PX, _SPACING_PX = 4, 2
_CAPTIONS_FROM_PX = 1100  # width of the window from which on captions are shown
_KEYS_AT = " ("  # begins the key in a tool tip


def name_view(view: str) -> tuple[str, str]:
    """Return the title of a view and the name of its icon."""
    if view in _DETAILS:
        text, icon, _ = _DETAILS[view]
        return text, icon
    if view in TRACE_VIEWS:
        return TRACE_VIEWS[view].title, TRACE_VIEWS[view].icon
    _, _, icon, about = next(each for each in _VIEWS if each[0] == view)
    return about.partition(":")[0].partition(_KEYS_AT)[0], icon


def list_icons() -> list[str]:
    """Return the names of the rail's icons, which are in the theme's muted and faint colours."""
    return [*(icon for _, _, icon, _ in _VIEWS), _DETAILS["heap"][1], _DETAILS["contention"][1]]


class _ViewButton(QToolButton):
    """The button of a view: a click chooses the view, a drag places it where it is dropped."""

    menu_requested = Signal(QPoint)
    dragged = Signal(QPoint)
    dropped = Signal(QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._drag = PanDrag(self)
        self._is_dragged = False
        self._size = QSize()

    def set_size(self, size: QSize) -> None:
        self._size = size
        self.setFixedSize(size)

    def sizeHint(self) -> QSize:
        """The size that was set: a new style sheet, as of another theme, sets the least height."""
        return self._size

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag.press(event.position())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.move(event.position()) is None:
            super().mouseMoveEvent(event)
            return
        self._is_dragged = True
        self.setDown(False)
        self.dragged.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_dropped, self._is_dragged = self._is_dragged, False
        self._drag.release()
        if is_dropped:
            self.dropped.emit(event.globalPosition().toPoint())
        else:
            super().mouseReleaseEvent(event)


class ViewRail(QFrame):
    """A button for each view, with its icon, and a caption if there is room for all captions."""

    chosen = Signal(str)
    menu_requested = Signal(str, QPoint)  # view; place on the screen
    dragged = Signal(str, QPoint)  # view; where the pointer is on the screen
    dropped = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _ViewButton] = {}
        self._details = ""
        self._has_captions = False
        self._n_columns = 2
        self._is_wide = False  # whether the window has the width for captions
        self._settled = QTimer(self)  # a message is too high until its text is laid out
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(self._fit)
        self._theme: Theme | None = None
        if parent is not None:  # a window that only gets wider does not resize the rail
            parent.installEventFilter(self)
        n_rows = -(-len(_VIEWS) // 2)
        self.setMinimumHeight(n_rows * (_LEAST_BARE_PX + _SPACING_PX) + 2 * _MARGIN_PX)
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        grid.setSpacing(_SPACING_PX)
        grid.setRowStretch(len(_VIEWS), 1)
        for key, text, _, about in _VIEWS:
            button = self._buttons[key] = _ViewButton(self)
            button.setText(text)
            button.setToolTip(about)
            button.setAccessibleName(about.partition(":")[0] or text)
            button.setIconSize(QSize(_ICON_PX, _ICON_PX))
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            if key != _PAIR:
                button.menu_requested.connect(partial(self.menu_requested.emit, key))
                button.dragged.connect(partial(self.dragged.emit, key))
                button.dropped.connect(partial(self.dropped.emit, key))
            self._group.addButton(button)
            grid.addWidget(button, len(self._buttons) - 1, 0)
        self._show_details()
        self._apply_shape()

    @property
    def buttons(self) -> tuple[QToolButton, ...]:
        """All buttons, from the top down."""
        return tuple(self._buttons.values())

    @property
    def has_captions(self) -> bool:
        """Whether the captions are shown."""
        return self._has_captions

    def button(self, key: str) -> QToolButton:
        """The button of a view."""
        return self._buttons[key]

    def choose(self, key: str) -> None:
        """Press the button of a view without a signal; release all if the view has no button."""
        button = self._buttons.get(key)
        if button is not None:
            button.setChecked(True)
            return
        self._group.setExclusive(False)
        for each in self.buttons:
            each.setChecked(False)
        self._group.setExclusive(True)

    def mark(self, shown: Collection[str]) -> None:
        """Mark the buttons of ``shown``, the views that are side by side, and no others."""
        for key, button in self._buttons.items():
            state = "shown" if key in shown else ""
            if (button.property("state") or "") != state:
                button.setProperty("state", state)
                button.style().unpolish(button)
                button.style().polish(button)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for key, _, icon, _ in _VIEWS:
            self._buttons[key].setIcon(load_icon(icon, theme.muted, theme.faint))
        self._show_details()

    def show_details(self, view: str) -> None:
        """Set what the details button stands for: ``heap`` or ``contention``; "" = neither."""
        if view != self._details:
            self._details = view
            self._show_details()

    def _show_details(self) -> None:
        text, icon, about = _DETAILS[self._details]
        button = self._buttons[DETAILS]
        button.setText(text)
        button.setToolTip(about)
        button.setAccessibleName(about.partition(":")[0])
        button.setEnabled(bool(self._details))
        if self._theme is not None:
            button.setIcon(load_icon(icon, self._theme.muted, self._theme.faint))

    def set_visible(self, key: str, is_visible: bool) -> None:
        """Set whether a view can be chosen."""
        if self._buttons[key].isHidden() == is_visible:
            self._buttons[key].setVisible(is_visible)
            self._apply_shape()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.sizeHint().width(), self.minimumHeight())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._is_window_wide() != self._is_wide:
            self._fit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show captions and a single column if they have room for the buttons of all views.

        Buttons that are hidden for the shown sample type count too, so that nothing moves when
        another type is chosen. While a message at the lower edge makes the rail lower, captions and
        column stay and the buttons shrink, so that the views beside the rail do not move.
        """
        least_px = _LEAST_PX if self._has_captions else _LEAST_BARE_PX
        if self._n_columns == 1 and self._find_room(1) < least_px:
            self._settled.start()
        else:
            self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        shape = self._find_shape()
        is_other = shape != (self._is_wide, self._has_captions, self._n_columns)
        self._is_wide, self._has_captions, self._n_columns = shape
        if is_other or self._find_size() != self._buttons["flame"].size():
            self._apply_shape()

    def _is_window_wide(self) -> bool:
        return self.window().width() >= _CAPTIONS_FROM_PX

    def _find_shape(self) -> tuple[bool, bool, int]:
        """Return whether the window is wide, whether there is room for captions, and in how many
        columns the buttons stand."""
        is_wide, room_px = self._is_window_wide(), self._find_room(1)
        least_px = _LEAST_PX if self._has_captions else _CAPTIONED_FROM_PX
        if is_wide and room_px >= least_px:
            return True, True, 1
        least_px = _LEAST_BARE_PX if self._n_columns == 1 else _BARE.height()
        return is_wide, False, 1 if room_px >= least_px else 2

    def _find_room(self, n_columns: int) -> int:
        """Return the height in pixels that each button may have if all views have buttons."""
        n_rows = -(-len(_VIEWS) // n_columns)
        return (self.height() - 2 * _MARGIN_PX) // n_rows - _SPACING_PX

    def _find_size(self) -> QSize:
        bare = _WIDE_BARE if self._is_wide else _BARE
        size = _CAPTIONED if self._has_captions else (bare, _PAIRED)[self._n_columns - 1]
        return QSize(size.width(), min(size.height(), self._find_room(self._n_columns)))

    def _apply_shape(self) -> None:
        style = Qt.ToolButtonStyle
        size = self._find_size()
        buttons = self._buttons.values()
        offered = [button for button in buttons if not button.isHidden()]
        for button in buttons:
            button.setToolButtonStyle(
                style.ToolButtonTextUnderIcon if self._has_captions else style.ToolButtonIconOnly
            )
            button.set_size(size)
            self._grid.removeWidget(button)
        for index, button in enumerate(offered):
            self._grid.addWidget(button, *divmod(index, self._n_columns))
        self.updateGeometry()
