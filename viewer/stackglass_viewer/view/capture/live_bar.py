"""The controls of a live capture: rates, pause, clear, save, detach, span, threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QWidget,
)

from stackglass.wire.rates import Rates
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.view_state import (
    RATES_HZ,
    SPANS_NS,
    WALL_RATES_HZ,
    LiveStatus,
)
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.pause_button import make_pause_button, show_pause
from stackglass_viewer.view.capture.preset_button import PresetButton
from stackglass_viewer.view.capture.rate_box import RateBox
from stackglass_viewer.view.capture.thread_filter import ThreadFilter
from stackglass_viewer.view.contention.rate_button import ContentionRateButton
from stackglass_viewer.view.heap.rate_button import HeapRateButton
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.menu_button import MenuButton
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.tool_button import make_tool_button

_LEAST_PX = 900
_SPACING_PX, _TIGHT_PX = 4, 1  # between the controls; the same where room is short
_SIDE_PX, _TIGHT_SIDE_PX = 12, 8
_ABOUT_DETACH = "Stop profiling and leave the process as it was before (Ctrl+Shift+D)"
_ABOUT_ATTACH = "Profile the process again, in a new tab (Ctrl+Shift+D)"

LIVE_ICONS = ("presets", "clear", "timeline", "native", "save", "pause", "detach")
"""The icons of the bar that are in the colour of texts."""
_ABOUT_PAUSE = "Pause the view; the capture goes on (Space)"


class LiveBar(QFrame):
    """Shows a live capture's rates and state, and emits each change that the user asks for.

    Where the window is narrow, texts and whole controls are hidden one after another: see ``_fit``.
    """

    rate_chosen = Signal(int)  # Hz; 0 = off
    wall_rate_chosen = Signal(int)  # samples per second; 0 = off
    native_chosen = Signal(bool)  # stacks with C frames
    heap_rate_chosen = Signal(int)  # bytes; 0 = off
    contention_chosen = Signal(object)  # Rates; only the contention fields count
    pause_toggled = Signal(bool)
    clear_requested = Signal()
    save_requested = Signal()
    detach_requested = Signal()
    attach_requested = Signal()  # attach again, after a detach
    span_chosen = Signal(str)  # key of SPANS_NS
    timeline_toggled = Signal(bool)  # shown or not

    def __init__(
        self,
        threads: ThreadModel,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        is_whole: bool = True,
    ) -> None:
        """``is_whole``: make all controls now; if not, the bar is hidden, and the caller must call
        ``make_rest`` before it uses and shows the bar."""
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._is_attached = True
        self.rates: Rates | None = None  # in force; None = they cannot be chosen
        self._rate = RateBox(
            "Sampling rate",
            "Stack samples per second of each thread's CPU time (F6)",
            RATES_HZ,
            self,
        )
        self._wall_rate = RateBox(
            "Wall rate",
            "Stack samples per second of each thread, waiting threads included: "
            "sample type wall (Shift+F6)",
            WALL_RATES_HZ,
            self,
        )
        self._native = make_tool_button(
            "Native",
            "Include C, C++ and Rust functions in the stacks (Ctrl+Shift+N)",
            self,
        )
        self._native.setCheckable(True)
        self.presets = PresetButton(self)
        self.heap_rate = HeapRateButton(self)
        self.contention = ContentionRateButton(self)
        if is_whole:
            self.make_rest(threads)
        else:
            self.hide()  # its page may be shown before the rest is made

    def make_rest(self, threads: ThreadModel) -> None:
        """Make the other half of the controls, and lay them all out."""
        self._pause = make_pause_button(self)
        self._clear = make_tool_button(
            "Clear", "Discard the captured data and start again (Ctrl+Shift+Del)", self
        )
        self._save = make_tool_button(
            "Save", "Save the session, or what is shown as a pprof file (Ctrl+S)", self
        )
        self._detach = make_tool_button("Detach", _ABOUT_DETACH, self)
        self._timeline = make_tool_button(
            "Timeline", "Show memory over time, and what grew (T)", self
        )
        self._timeline.setCheckable(True)
        self._span = SegmentedControl([(key, key) for key in SPANS_NS], self)
        self._span.set_tool_tips(
            {
                "10 s": "The last 10 seconds (Ctrl+1)",
                "1 min": "The last minute (Ctrl+2)",
                "All": "Since the start (Ctrl+3)",
            }
        )
        self._span.choose("10 s")
        self.threads = ThreadFilter(threads, self._theme, self)
        self.boxes = {"cpu": self._rate, "wall": self._wall_rate}
        self._menus: dict[str, MenuButton] = {
            "presets": self.presets,
            "heap": self.heap_rate,
            "locks": self.contention,
        }
        # Buttons of _worded show only their icons where there is no room for texts: see _fit.
        self._buttons = (self._pause, self._clear, self._save, self._detach)
        self._worded = (self._native, *self._buttons, self._timeline)
        self._saved_px: list[int] = []  # width that each step of _fit has saved
        self._fitted_px = 0  # width that the controls want since the last _fit
        self._is_wall_kept = False  # whether other controls are hidden before the wall rate
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(_LEAST_PX)
        self._row = QHBoxLayout(self)
        self._span_caption = QLabel("Show", self)
        self._wall_caption = self._lay_out()
        self._connect()
        self.set_theme(self._theme)

    def _lay_out(self) -> QLabel:
        """Add the controls to the row. Return the wall rate's caption, which ``_fit`` can hide."""
        row = self._row
        row.setContentsMargins(_SIDE_PX, 6, _SIDE_PX, 6)
        row.setSpacing(_SPACING_PX)
        row.addWidget(self.presets)
        row.addSpacing(8)
        captions: dict[str, QLabel] = {}
        for caption, control in (
            ("CPU", self._rate),
            ("Wall", self._wall_rate),
            ("Heap", self.heap_rate),
            ("Locks", self.contention),
        ):
            captions[caption] = QLabel(caption, self)
            captions[caption].setBuddy(control)  # screen readers name the control by it
            row.addWidget(captions[caption])
            row.addSpacing(4)
            row.addWidget(control)
            if control is self._rate:
                row.addWidget(self._native)
            row.addSpacing(8)
        for button in self._buttons:
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(self._timeline)
        row.addStretch()
        row.addWidget(self.threads)
        row.addSpacing(6)
        row.addWidget(self._span_caption)
        row.addSpacing(4)
        row.addWidget(self._span)
        return captions["Wall"]

    def _connect(self) -> None:
        self._rate.rate_chosen.connect(self.rate_chosen)
        self._wall_rate.rate_chosen.connect(self.wall_rate_chosen)
        self._native.clicked.connect(self.native_chosen)
        self.presets.rates_chosen.connect(self._choose_all)
        self.presets.wall_requested.connect(lambda: self.open_list("wall"))
        self.heap_rate.rate_chosen.connect(self.heap_rate_chosen)
        self.contention.rates_chosen.connect(self.contention_chosen)
        self._pause.toggled.connect(self._on_pause_toggled)
        self._clear.clicked.connect(self.clear_requested)
        self._save.clicked.connect(self.save_requested)
        self._detach.clicked.connect(self.toggle_attached)
        self._span.chosen.connect(self.span_chosen)
        self._timeline.clicked.connect(self.timeline_toggled)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Fit the controls anew when one of them has got another width, as with a longer text."""
        is_handled = super().event(event)
        is_request = event.type() == QEvent.Type.LayoutRequest
        if is_request and self._row.sizeHint().width() != self._fitted_px:
            self._refit(self._is_wall_kept)
        return is_handled

    def _list_steps(self) -> tuple[Callable[[bool], None], ...]:
        """Return the steps of ``_fit`` in the order of hiding: the buttons' texts, the span's
        caption, the thread filter's text, the name of the preset, then whole controls.

        The menu bar has each of these buttons, and the menu of presets has the wall rate while that
        is hidden. A wall rate that is recorded is hidden last.
        """
        wall = (self._hide_wall,)
        return (
            self._hide_texts,
            self._tighten,
            self.threads.set_compact,
            self.presets.set_compact,
            *(() if self._is_wall_kept else wall),
            *(partial(self._hide, each) for each in (self._native, self._save, self._timeline)),
            *(wall if self._is_wall_kept else ()),
        )

    def _refit(self, is_wall_kept: bool) -> None:
        """Show all controls and texts, then hide what has no room."""
        for step in self._list_steps()[: len(self._saved_px)]:
            step(False)
        self._saved_px.clear()
        self._is_wall_kept = is_wall_kept
        self._row.invalidate()
        self._fit()

    def _fit(self) -> None:
        """Hide texts and controls step by step until the row fits, or show them again.

        A step is undone, the last first, once the width that it saved is free again.
        """
        steps = self._list_steps()
        wanted_px = self._row.sizeHint().width()
        while wanted_px > self.width() and len(self._saved_px) < len(steps):
            steps[len(self._saved_px)](True)
            self._row.invalidate()
            left_px = self._row.sizeHint().width()
            self._saved_px.append(wanted_px - left_px)
            wanted_px = left_px
        while self._saved_px and wanted_px + self._saved_px[-1] <= self.width():
            wanted_px += self._saved_px.pop()
            steps[len(self._saved_px)](False)
            self._row.invalidate()
        self._fitted_px = self._row.sizeHint().width()

    def _hide_texts(self, is_hidden: bool) -> None:
        style = Qt.ToolButtonStyle
        for button in self._worded:
            button.setToolButtonStyle(
                style.ToolButtonIconOnly if is_hidden else style.ToolButtonTextBesideIcon
            )

    def _tighten(self, is_hidden: bool) -> None:
        self._span_caption.setVisible(not is_hidden)
        self._row.setSpacing(_TIGHT_PX if is_hidden else _SPACING_PX)
        side_px = _TIGHT_SIDE_PX if is_hidden else _SIDE_PX
        self._row.setContentsMargins(side_px, 6, side_px, 6)

    def _hide_wall(self, is_hidden: bool) -> None:
        for part in (self._wall_caption, self._wall_rate):
            part.setVisible(not is_hidden)
        self.presets.offer_wall(is_hidden)

    def _hide(self, control: QWidget, is_hidden: bool) -> None:
        control.setVisible(not is_hidden)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.threads.set_theme(theme)
        self.presets.set_theme(theme)
        self._clear.setIcon(load_icon("clear", theme.text, theme.faint))
        self._timeline.setIcon(load_icon("timeline", theme.text, theme.faint))
        self._native.setIcon(load_icon("native", theme.text, theme.faint))
        self._save.setIcon(load_icon("save", theme.text, theme.faint))
        show_pause(self._pause, theme, _ABOUT_PAUSE)
        self._show_attached()

    def set_span(self, key: str) -> None:
        """Show the chosen span, without a signal."""
        self._span.choose(key)

    def choose_span(self, key: str) -> None:
        """Choose a span, as if the user had pressed it."""
        self._span.choose(key)
        self.span_chosen.emit(key)

    def set_timeline(self, is_shown: bool) -> None:
        """Show whether the timeline is open, without a signal."""
        self._timeline.setChecked(is_shown)

    def toggle_timeline(self) -> None:
        self._timeline.click()

    def toggle_native(self) -> None:
        self._native.click()

    def toggle_pause(self) -> None:
        """Press the pause button, unless the session has ended."""
        self._pause.click()

    @property
    def is_attached(self) -> bool:
        """Whether the next ``toggle_attached`` detaches."""
        return self._is_attached

    def may_toggle(self, name: str) -> bool:
        """Whether ``toggle_pause`` ("pause") or ``toggle_attached`` ("attached") does anything.

        A session that has ended can be resumed, but not paused. Of an ended process and of a saved
        file there is nothing to detach from or attach to.
        """
        return {"pause": self._pause, "attached": self._detach}[name].isEnabled()

    def toggle_attached(self) -> None:
        """Ask to detach, or to attach again. Does nothing for an ended process or a saved file."""
        if not self.may_toggle("attached"):
            return
        if self._is_attached:
            self.detach_requested.emit()
        else:
            self.attach_requested.emit()

    def open_list(self, name: str) -> None:
        """Open the list of a control, unless the control is disabled.

        ``name``: ``presets``, ``cpu``, ``wall``, ``heap``, ``locks`` or ``threads``.
        """
        if name in self.boxes and self.boxes[name].isEnabled():
            self.boxes[name].open_list(self.presets)
        elif name == "threads" and self.threads.isEnabled():
            self.threads.click()
        elif name in self._menus and self._menus[name].isEnabled():
            self._menus[name].open_menu()

    def show_status(self, status: LiveStatus) -> None:
        self._rate.show_status(status, status.rates.cpu_hz)
        self._wall_rate.show_status(status, status.rates.wall_hz)
        if (status.rates.wall_hz > 0) != self._is_wall_kept:
            self._refit(not self._is_wall_kept)
        self._native.setChecked(bool(status.rates.native_stacks))
        self._native.setEnabled(status.phase in ("waiting", "running"))
        self.presets.show_rates(status.rates)
        self.presets.setEnabled(status.phase in ("waiting", "running"))
        self.rates = status.rates if self.presets.isEnabled() else None
        self.heap_rate.show_status(status)
        self.contention.show_status(status)
        if status.is_attached != self._is_attached:
            self._is_attached = status.is_attached
            self._show_attached()
        self._detach.setEnabled(status.phase not in ("ended", "saved"))
        self._clear.setEnabled(status.phase != "saved")  # a file cannot be cleared
        self._allow_pause()

    def show_heap_state(self, state: HeapBarState | None) -> None:
        """Enable the thread filter and the span where the shown heap table has threads or spans.

        ``state`` is None while something other than the heap is shown.
        """
        self.threads.setEnabled(state is None or state.has_threads)
        self._span.setEnabled(state is None or state.has_span)

    def _choose_all(self, rates: Rates) -> None:
        self.rate_chosen.emit(rates.cpu_hz)
        self.wall_rate_chosen.emit(rates.wall_hz)
        self.heap_rate_chosen.emit(rates.heap_rate)
        self.contention_chosen.emit(rates)

    def _on_pause_toggled(self, is_paused: bool) -> None:
        show_pause(self._pause, self._theme, _ABOUT_PAUSE)
        self._allow_pause()
        self.pause_toggled.emit(is_paused)

    def _allow_pause(self) -> None:
        """Enable the pause button: a session that has ended can be resumed, but not paused."""
        self._pause.setEnabled(self._is_attached or self._pause.isChecked())

    def _show_attached(self) -> None:
        self._detach.setText(" Detach" if self._is_attached else " Attach again")
        self._detach.setToolTip(_ABOUT_DETACH if self._is_attached else _ABOUT_ATTACH)
        name = "detach" if self._is_attached else "attach"
        self._detach.setIcon(load_icon(name, self._theme.text, self._theme.faint))
