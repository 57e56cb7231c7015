"""Start page of an empty window: buttons to attach and open, processes and recent files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from stackglass_viewer.model.readers.formats import name_formats
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.icons import draw_icon, load_icon
from stackglass_viewer.view.widgets.link_button import LinkButton
from stackglass_viewer.view.widgets.shown_text import make_tip
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.process_card import ProcessCard

_WIDTH_PX = 760


class StartPage(QWidget):
    """Emits the user's choice of what to open first."""

    attach_requested = Signal()
    open_requested = Signal()
    demo_requested = Signal()
    example_requested = Signal()
    recent_requested = Signal(object)  # path: as in MainWindow
    process_requested = Signal(int)  # PID

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("startPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._logo = QLabel()
        title = QLabel("Stackglass")
        title.setObjectName("title")
        subtitle = QLabel("See where a Python process spends its time, while it runs.")
        subtitle.setObjectName("subtitle")
        self._attach = QPushButton(" Attach to a process…")
        self._attach.setObjectName("primary")
        self._open = QPushButton(" Open a profile…")
        self._demo = QPushButton(" Start the demo")
        self._demo.setToolTip("Starts a small program and attaches to it")
        self._example = QPushButton(" Example of memory")
        self._example.setToolTip(
            "Opens a recording of every allocation of a small program: its heap map over time"
        )
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_card = QFrame()
        self._recent_card.setObjectName("card")
        card = QVBoxLayout(self._recent_card)
        card.setContentsMargins(10, 12, 10, 10)
        card.setSpacing(0)
        heading = QLabel("RECENT FILES")
        heading.setObjectName("heading")
        heading.setContentsMargins(8, 0, 0, 4)
        card.addWidget(heading)
        card.addLayout(self._recent)
        hint = QLabel(f"or drop files here: {name_formats()}")
        hint.setObjectName("hint")
        hint.setWordWrap(True)
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)

        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self._logo)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(subtitle)
        head.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addWidget(self._attach, 1)
        buttons.addWidget(self._open, 1)
        buttons.addWidget(self._demo, 1)
        buttons.addWidget(self._example, 1)
        column = QVBoxLayout()
        column.setSpacing(22)
        column.addStretch(2)  # a fixed share: filled lists do not move the buttons
        column.addLayout(head)
        column.addLayout(buttons)
        self.processes = ProcessCard()
        cards = QHBoxLayout()
        cards.setSpacing(10)
        for part in (self.processes, self._recent_card):
            cards.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        below = QVBoxLayout()
        below.setSpacing(22)
        below.addLayout(cards)
        below.addWidget(hint)
        below.addStretch(1)
        column.addLayout(below, 7)
        box = QWidget()
        box.setFixedWidth(_WIDTH_PX)
        box.setLayout(column)
        outer = QHBoxLayout(self)
        outer.addStretch()
        outer.addWidget(box)
        outer.addStretch()

        self._attach.clicked.connect(self.attach_requested)
        self._open.clicked.connect(self.open_requested)
        self._demo.clicked.connect(self.demo_requested)
        self._example.clicked.connect(self.example_requested)
        self.processes.process_requested.connect(self.process_requested)
        self.set_theme(theme)
        self.show_recent(())

    def set_theme(self, theme: Theme) -> None:
        self._logo.setPixmap(draw_icon("stackglass", theme.text, 56, self.devicePixelRatioF()))
        self._attach.setIcon(load_icon("attach", theme.accent_text))
        self._open.setIcon(load_icon("open", theme.text))
        self._demo.setIcon(load_icon("flame", theme.text))
        self._example.setIcon(load_icon("heap", theme.text))

    def show_recent(self, paths: tuple[str, ...]) -> None:
        """List the first six of ``paths``; without any, hide the list."""
        while (item := self._recent.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for path in paths[:6]:
            button = LinkButton(Path(path).name, folder=_shorten_folder(path))
            button.setToolTip(make_tip(make_printable(path)))
            button.setAccessibleName(f"{make_printable(Path(path).name)}, recent file")
            button.clicked.connect(lambda _checked=False, p=path: self.recent_requested.emit(p))
            self._recent.addWidget(button)
        self._recent_card.setVisible(bool(paths))


def _shorten_folder(path: str) -> str:
    """Return the folder of a file: ``~/work``."""
    folder, home = str(Path(path).parent), str(Path.home())
    is_at_home = folder == home or folder.startswith(home + "/")
    return "~" + folder[len(home) :] if is_at_home else folder
