"""Open URL dialog: lists the profiles of a server, to fetch one once or to watch it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.remote.index_page import CPU, RECORDED, ListedProfile
from stackglass_viewer.model.remote.snapshots import INTERVALS_S
from stackglass_viewer.model.units import format_count, make_printable, make_sentence
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.shown_text import join_units, make_tip

USUAL_INTERVAL_S = 5
_NAME, _COUNT, _ABOUT = range(3)
_ROW_PX = 28
_PADDING_PX = 32  # added to a name's width
_HINT = "Any program with /debug/pprof/ pages: Go's net/http/pprof, stackglass.serve"


def _is_enter(event: QKeyEvent) -> bool:
    is_press = event.type() == QEvent.Type.KeyPress
    return is_press and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class UrlDialog(QDialog):
    """Emits the user's requests, and shows the list that the presenter fetched."""

    list_requested = Signal(str)  # URL as typed
    list_unwanted = Signal()  # the URL was edited: a list for the former URL must not be shown
    open_requested = Signal(str, str, int)  # URL as typed, profile, seconds: fetch it once
    watch_requested = Signal(str, str, int)  # as above: fetch it repeatedly

    def __init__(self, recent: tuple[str, ...], parent: QWidget | None = None) -> None:
        """``recent``: URLs to offer, newest first."""
        super().__init__(parent)
        self.setWindowTitle("Open profiles of a server")
        self.resize(760, 460)
        self._url = QLineEdit(recent[0] if recent else "http://127.0.0.1:6060/debug/pprof/")
        self._url.setPlaceholderText("http://HOST:PORT/debug/pprof/")
        self._url.setAccessibleName("URL")
        completer = QCompleter(list(recent), self._url)
        completer.activated.connect(lambda: self._on_list())  # click in the popup
        self._popup = cast(QAbstractItemView, completer.popup())  # created by this call
        self._popup.installEventFilter(self)
        self._url.setCompleter(completer)
        self._list_button = QPushButton("List profiles")
        self._list_button.setDefault(True)
        self._profiles = QTreeWidget()
        self._profiles.setAccessibleName("Profiles")
        self._profiles.setRootIsDecorated(False)
        self._profiles.setUniformRowHeights(True)
        self._profiles.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._profiles.setHeaderLabels(["Profile", "Count", "Description"])
        header = self._profiles.header()
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_COUNT, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_ABOUT, QHeaderView.ResizeMode.Stretch)
        self._state = QLabel(_HINT)
        self._state.setObjectName("hint")
        self._state.setWordWrap(True)
        self._state.setTextFormat(Qt.TextFormat.PlainText)
        self._interval = ChoiceBox()
        self._interval.setAccessibleName("Interval")
        self._interval.setToolTip(
            "CPU and wall profiles record this long. A watched profile is fetched this often."
        )
        for seconds in INTERVALS_S:
            self._interval.addItem(f"{seconds} s", seconds)
        self._interval.setCurrentIndex(INTERVALS_S.index(USUAL_INTERVAL_S))
        self._open = QPushButton("Fetch once")
        self._watch = QPushButton("Watch")
        cancel = QPushButton("Cancel")
        for button in (self._open, self._watch, cancel):
            button.setAutoDefault(False)

        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(self._url, 1)
        top.addWidget(self._list_button)
        bottom = QHBoxLayout()
        bottom.setSpacing(10)
        bottom.addWidget(QLabel("Interval"))
        bottom.addWidget(self._interval)
        bottom.addStretch(1)
        bottom.addWidget(cancel)
        bottom.addWidget(self._open)
        bottom.addWidget(self._watch)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._profiles, 1)
        column.addWidget(self._state)
        column.addLayout(bottom)

        self._list_button.clicked.connect(self._on_list)
        self._url.textEdited.connect(lambda: self._on_edited())
        self._profiles.currentItemChanged.connect(lambda: self._enable())
        self._profiles.itemActivated.connect(lambda: self._on_watch())
        self._open.clicked.connect(self._on_open)
        self._watch.clicked.connect(self._on_watch)
        cancel.clicked.connect(self.reject)
        self._enable()

    def set_url(self, url: str) -> None:
        """Enter ``url`` and request the server's list of profiles."""
        self._url.setText(url)
        self._on_list()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._url.setFocus()
        self._url.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make Enter request the list while the popup with the recent URLs is open.

        Qt's popup would consume the key and only close.
        """
        if watched is not self._popup or not isinstance(event, QKeyEvent) or not _is_enter(event):
            return super().eventFilter(watched, event)
        chosen = self._popup.currentIndex()
        if chosen.isValid():
            self._url.setText(str(chosen.data()))
        self._popup.hide()
        self._on_list()
        return True

    def show_profiles(self, profiles: tuple[ListedProfile, ...]) -> None:
        """List the server's profiles, and choose the CPU profile or else the first."""
        self._show_profiles(profiles)
        self._state.setText(_HINT)
        self._list_button.setDefault(False)
        self._watch.setDefault(True)
        names = [each.name for each in profiles]
        index = names.index(CPU) if CPU in names else 0
        chosen = self._profiles.topLevelItem(index)
        if chosen is not None:
            self._profiles.setCurrentItem(chosen)
        self._profiles.setFocus()

    def show_failure(self, text: str) -> None:
        """Empty the list and show ``text``, which says why there is none."""
        self._show_profiles(())
        self._state.setText(join_units(make_sentence(text)))

    def _show_profiles(self, profiles: tuple[ListedProfile, ...]) -> None:
        self._profiles.clear()
        self._watch.setDefault(False)
        self._list_button.setDefault(True)
        for each in profiles:
            count = "" if each.name in RECORDED else format_count(each.n_stacks)
            about = make_printable(each.description)
            item = QTreeWidgetItem([make_printable(each.name), count, about])
            item.setData(_NAME, Qt.ItemDataRole.UserRole, each.name)
            item.setTextAlignment(
                _COUNT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
            item.setToolTip(_ABOUT, make_tip(about))
            name_px = self.fontMetrics().horizontalAdvance(each.name)
            item.setSizeHint(_NAME, QSize(name_px + _PADDING_PX, _ROW_PX))
            self._profiles.addTopLevelItem(item)
        self._enable()

    def _enable(self) -> None:
        has_choice = self._choice is not None
        self._open.setEnabled(has_choice)
        self._watch.setEnabled(has_choice)

    @property
    def _choice(self) -> tuple[str, str, int] | None:
        """URL, profile name and seconds; None = no profile is chosen."""
        item = self._profiles.currentItem()
        if item is None:
            return None
        name = str(item.data(_NAME, Qt.ItemDataRole.UserRole))
        return self._url.text(), name, int(self._interval.currentData())

    def _on_list(self) -> None:
        self._show_profiles(())
        self._state.setText("Asking the server…")
        self.list_requested.emit(self._url.text())

    def _on_edited(self) -> None:
        self._show_profiles(())
        self._state.setText(_HINT)
        self.list_unwanted.emit()

    def _on_open(self) -> None:
        if (choice := self._choice) is not None:
            self.open_requested.emit(*choice)
            self.accept()

    def _on_watch(self) -> None:
        if (choice := self._choice) is not None:
            self.watch_requested.emit(*choice)
            self.accept()
