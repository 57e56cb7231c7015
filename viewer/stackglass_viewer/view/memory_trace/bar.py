"""Memory trace bar: chooses the subject of all views, plays the trace, and chooses the pane."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from stackglass_viewer.model.units import format_share
from stackglass_viewer.presenter.memory_trace.cursor import SPEEDS, name_speed
from stackglass_viewer.presenter.memory_trace.subject import SubjectKind
from stackglass_viewer.presenter.settings.trace_views import PANES, TRACE_VIEWS
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.foldable_control import FoldableControl
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.tool_button import make_tool_button

_KINDS = (
    (SubjectKind.PEAK, "Peak", "Show the blocks that lived when most bytes were in use"),
    (
        SubjectKind.MOMENT,
        "Moment",
        "Show the blocks that live at the cursor: click the curve or drag its ruler",
    ),
    (
        SubjectKind.SPAN,
        "Allocated",
        "Show the blocks allocated in the trace, or in a span drawn over the curve or the map",
    ),
    (
        SubjectKind.LEAKS,
        "Leaked",
        "Show the blocks allocated in the trace, or in the span, that live at the end of the trace",
    ),
)
_PANES = (*((name, TRACE_VIEWS[name].title) for name in PANES), ("", "None below the curve"))
"""(Name, title) of each view that may stand below the curve."""
_WORDS_PX = 330  # width that the subject in words should have


class TraceBar(QFrame):
    """Shows the subject in words, and emits the user's choices.

    The subject is the blocks that graphs and tables show: those of the peak, of a moment, allocated
    in a span, or leaked. The pane is the view below the curve.
    """

    kind_chosen = Signal(object)  # SubjectKind
    pane_chosen = Signal(str)
    play_toggled = Signal(bool)
    speed_chosen = Signal(float)
    all_requested = Signal()
    beside_requested = Signal(QPoint)  # open the menu of views to put beside, at this place

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._kinds = FoldableControl("Subject", [(kind.value, text) for kind, text, _ in _KINDS])
        self._kinds.set_tool_tips({kind.value: about for kind, _, about in _KINDS})
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._about_text = ""
        self._play = make_tool_button("Play", "Move the cursor through the trace (Space)", self)
        self._play.setCheckable(True)
        self._speeds = ChoiceBox(self)
        self._speeds.addItems([name_speed(speed) for speed in SPEEDS])
        self._speeds.setToolTip("Choose how fast the trace is played")
        self._speeds.setAccessibleName("Speed")
        self._speeds.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self._all = make_tool_button("", "Show all times and addresses (Home)", self)
        self._all.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._all.setAccessibleName("Show the whole trace")
        self._panes = ChoiceBox(self)
        self._panes.addItems([text for _, text in _PANES])
        self._panes.setToolTip("Choose the view below the curve; B and a letter: put a view beside")
        self._panes.setAccessibleName("Below the curve")
        self._panes.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self._beside = make_tool_button(
            "", "Put another view of the trace beside (B, letter)", self
        )
        self._beside.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._beside.setAccessibleName("Views beside")
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(self._kinds)
        row.addWidget(self._about, 1)
        self._controls = (self._play, self._speeds, self._all, self._panes, self._beside)
        for widget in self._controls:
            row.addWidget(widget)
        self._kinds.chosen.connect(lambda key: self.kind_chosen.emit(SubjectKind(key)))
        self._panes.activated.connect(lambda index: self.pane_chosen.emit(_PANES[index][0]))
        self._play.clicked.connect(self.play_toggled)
        self._speeds.activated.connect(lambda index: self.speed_chosen.emit(SPEEDS[index]))
        self._all.clicked.connect(self.all_requested)
        self._beside.clicked.connect(self._on_beside)
        self._is_playing = False
        self.set_theme(theme)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Fold the choice of the subject, and hide the text of Play, if the subject in words would
        have too little room."""
        self._fold(False)
        margins, gaps = self._row.contentsMargins(), len(self._controls) + 1
        taken_px = sum(each.sizeHint().width() for each in self._controls)
        taken_px += margins.left() + margins.right() + gaps * self._row.spacing()
        self._fold(self.width() - taken_px - self._kinds.open_px < _WORDS_PX)

    def _fold(self, is_folded: bool) -> None:
        style = Qt.ToolButtonStyle
        self._kinds.set_folded(is_folded)
        self._play.setToolButtonStyle(
            style.ToolButtonIconOnly if is_folded else style.ToolButtonTextBesideIcon
        )

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._all.setIcon(load_icon("reset", theme.text, theme.faint))
        self._beside.setIcon(load_icon("split", theme.text, theme.faint))
        self._show_play()

    def _show_play(self) -> None:
        icon = "pause" if self._is_playing else "resume"
        self._play.setIcon(load_icon(icon, self._theme.text, self._theme.faint))
        self._play.setText(" Pause" if self._is_playing else " Play")

    def _on_beside(self) -> None:
        corner = self._beside.rect().bottomLeft()
        self.beside_requested.emit(self._beside.mapToGlobal(corner))

    def show_kind(self, kind: SubjectKind) -> None:
        self._kinds.choose(kind.value)

    def show_subject(self, text: str) -> None:
        """Show in words what graphs and tables show."""
        self._about_text = text
        self._about.set_text(text)

    def show_progress(self, share: float | None) -> None:
        """Show in the subject's place how much of the trace was read; None = all of it."""
        if share is None:
            self._about.set_text(self._about_text)
        else:
            self._about.set_text(f"Adding up the trace: {format_share(min(share, 0.999))}")

    def show_playing(self, is_playing: bool) -> None:
        self._is_playing = is_playing
        self._play.setChecked(is_playing)
        self._show_play()

    def show_speed(self, speed: float) -> None:
        self._speeds.setCurrentIndex(SPEEDS.index(speed))

    def show_zoomed(self, is_zoomed: bool) -> None:
        """Set whether only a part of the trace is shown, which enables the button for all of it."""
        self._all.setEnabled(is_zoomed)

    def show_pane(self, pane: str) -> None:
        self._panes.setCurrentIndex([key for key, _ in _PANES].index(pane))
