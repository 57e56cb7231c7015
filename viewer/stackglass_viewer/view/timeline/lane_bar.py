"""Lane bar below the timeline: chooses the metrics, and shows each line's value at a moment."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from stackglass_viewer.model.metrics.lanes import LanePicture, Unit
from stackglass_viewer.presenter.settings.lane_choices import CHOICES, LaneChoice
from stackglass_viewer.view.timeline.lane_colours import colour_drawn
from stackglass_viewer.view.timeline.lane_texts import describe_missing, format_lane_value
from stackglass_viewer.view.timeline.line_dot import LineDot
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_MOST_LINES = 5
_N_DIGITS = 8
_NOTHING = "–"


class LaneBar(QWidget):
    """A lane is the plot's row of metrics. Numbers have fixed widths, so that nothing moves."""

    chosen = Signal(str)  # LaneKey

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._unit: Unit = "threads"
        self._is_dark = False
        self._is_stacked = True
        self._choice: LaneChoice | None = None
        self._colours: Mapping[str, int] = {}
        self._picture: LanePicture | None = None
        self._is_attached = True
        self._choices = ChoiceBox(self)
        self._choices.setAccessibleName("Metrics below the timeline")
        self._choices.setToolTip("Choose the metrics that are drawn below the timeline")
        for choice in CHOICES:
            self._choices.addItem(choice.title, choice.key)
        self._keys: tuple[str, ...] = ()
        self._dots = tuple(LineDot(self) for _ in range(_MOST_LINES))
        self._captions = tuple(QLabel(self) for _ in range(_MOST_LINES))
        self._readings = tuple(QLabel(_NOTHING, self) for _ in range(_MOST_LINES))
        self._note = QLabel(self)
        self._note.setObjectName("faint")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 1, 12, 3)
        row.setSpacing(6)
        row.addWidget(self._choices)
        for dot, caption, reading in zip(self._dots, self._captions, self._readings, strict=True):
            row.addSpacing(8)
            row.addWidget(dot)
            row.addWidget(caption)
            row.addWidget(reading)
            reading.setObjectName("reading")
            reading.setFont(fixed_font())
            reading.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            reading.setFixedWidth(reading.fontMetrics().horizontalAdvance("0" * _N_DIGITS))
        row.addWidget(self._note)
        row.addStretch()
        self._choices.activated.connect(lambda _: self.chosen.emit(self._choices.currentData()))

    def show_choice(self, choice: LaneChoice, colours: Mapping[str, int]) -> None:
        """Show the names of the lines of ``choice``, and their colours by key."""
        self._choices.setCurrentIndex(self._choices.findData(choice.key))
        self._choices.setToolTip(choice.tool_tip)
        self._keys = tuple(line.key for line in choice.lines)
        self._choice, self._colours = choice, colours
        widgets = zip(self._dots, self._captions, self._readings, strict=True)
        for index, parts in enumerate(widgets):
            line = choice.lines[index] if index < len(choice.lines) else None
            for part in parts:
                part.setVisible(line is not None)
                part.setToolTip(line.tool_tip if line is not None else "")
            if line is not None:
                dot, caption, reading = parts
                dot.setText("┄" if line.is_dashed else "●")
                caption.setText(line.caption)
                reading.setText(_NOTHING)
        self._colour_dots()

    def set_theme(self, theme: Theme) -> None:
        self._is_dark = theme.is_dark
        self._colour_dots()

    def _colour_dots(self) -> None:
        """Give the dots the colours of the lines in the plot."""
        lines = self._choice.lines if self._choice is not None else ()
        for dot, line in zip(self._dots, lines, strict=False):
            colour = colour_drawn(
                self._colours[line.key], is_stacked=self._is_stacked, is_dark=self._is_dark
            )
            dot.set_colour(colour)

    def show_picture(self, picture: LanePicture) -> None:
        """Take the unit and whether lines are stacked layers; show a note on missing data."""
        self._unit = picture.unit
        if picture.is_stacked != self._is_stacked:
            self._is_stacked = picture.is_stacked
            self._colour_dots()
        self._picture = picture
        self._write_note()

    def show_attached(self, is_attached: bool) -> None:
        """Note whether the process is attached: then there may be more data, and other rates."""
        self._is_attached = is_attached
        self._write_note()

    def _write_note(self) -> None:
        if self._picture is not None:
            missing = describe_missing(self._picture, is_attached=self._is_attached)
            self._note.setText(missing)

    def show_moment(self, values: Mapping[str, float]) -> None:
        """Show the value of each line by key; a line without a value shows a dash."""
        for key, reading in zip(self._keys, self._readings, strict=False):
            text = format_lane_value(values[key], self._unit) if key in values else _NOTHING
            reading.setText(text)
