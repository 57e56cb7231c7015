"""Summary view: sentences on what stands out, each with a link to the view that shows it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from stackglass_viewer.presenter.document.sentences import WAITING_THREADS, Sentence
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_WIDTH_PX = 860  # greatest width of a sentence
_SIDE_PX = 28
_PLACES = {
    "flame": "flame graph",
    "top": "table",
    "sandwich": "callers and callees",
    "source": "source",
    "labels": "labels",
    "contention": "waits",
    WAITING_THREADS: "waiting threads",
}
"""Names of the targets in the link after a sentence."""


class SummaryView(QScrollArea):
    """Shows sentences, and emits the one that was chosen. Labels are reused for later sentences."""

    sentence_chosen = Signal(object)  # Sentence

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentences: tuple[Sentence, ...] = ()
        self._labels: list[QLabel] = []
        self._placeholder = ("Nothing here", "")
        self._is_empty = False
        self._is_awaited = True  # until show_sentences is called
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Summary")
        page = QWidget(self)
        page.setObjectName("summary")
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(_SIDE_PX, _SIDE_PX, _SIDE_PX, _SIDE_PX)
        self._column.setSpacing(16)
        self._title = QLabel(page)
        self._title.setObjectName("emptyTitle")
        self._hint = QLabel(page)
        self._hint.setObjectName("hint")
        self._hint.setWordWrap(True)
        self._column.addWidget(self._title)
        self._column.addWidget(self._hint)
        self._column.addStretch(1)
        self.setWidget(page)
        self._say_state()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._write()

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown for an empty profile."""
        self._placeholder = (title, text)
        self._say_state()

    def show_sentences(self, sentences: tuple[Sentence, ...], is_empty: bool = False) -> None:
        """Show the sentences; if there are none, a text says that nothing stands out.

        ``is_empty``: the profile is empty, so the placeholder is shown instead.
        """
        self._sentences, self._is_empty, self._is_awaited = sentences, is_empty, False
        self._say_state()
        while len(self._labels) < len(sentences):
            self._labels.append(self._make_label(len(self._labels)))
        self._write()

    def clear_selection(self) -> bool:
        """Return False: nothing can be selected here."""
        return False

    def _say_state(self) -> None:
        title, hint = "What stands out", "Each sentence links to the view that shows it."
        if self._is_awaited:
            hint = "Searching…"
        elif self._is_empty:
            title, hint = self._placeholder
        elif not self._sentences:
            hint = "Nothing stands out in the samples shown."
        self._title.setText(title)
        self._hint.setText(join_units(hint))

    def _make_label(self, index: int) -> QLabel:
        label = QLabel(self.widget())
        label.setWordWrap(True)
        label.setMaximumWidth(_WIDTH_PX)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        label.linkActivated.connect(lambda _: self.sentence_chosen.emit(self._sentences[index]))
        self._column.insertWidget(self._column.count() - 1, label)
        return label

    def _write(self) -> None:
        theme = self._theme
        for index, label in enumerate(self._labels):
            label.setVisible(index < len(self._sentences))
            if index >= len(self._sentences):
                continue
            sentence = self._sentences[index]
            target = _PLACES[sentence.target]
            text = (
                f'<a href="{index}" style="color:{theme.text}; text-decoration:none; '
                f'font-size:15px">{escape(join_units(sentence.text))}</a> '
                f'<a href="{index}" style="color:{theme.accent}; text-decoration:none">'
                f"Show&nbsp;{target.replace(' ', '&nbsp;')}</a>"
            )
            if label.text() != text:
                label.setText(text)
                label.setAccessibleName(f"{sentence.text} Show {target}")
