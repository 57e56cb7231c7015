"""Every control of every view and dialog has a name for screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

from harness.accessible import describe, find_label, list_controls, list_nameless, say_more
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import Rates
from stackglass_viewer.model.contention.buckets import LISTED_KINDS
from stackglass_viewer.model.contention.snapshot import ContentionFilter
from stackglass_viewer.model.remote.snapshots import PARTS, SnapshotKind
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.source_model import SourceModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.tables.trace_model import TraceModel
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.group_bar import GroupBar
from stackglass_viewer.view.capture.remote_bar import RemoteBar
from stackglass_viewer.view.dialogs.command_palette import CommandPalette
from stackglass_viewer.view.dialogs.questions import SaveDialog
from stackglass_viewer.view.dialogs.shortcut_sheet import ShortcutSheet
from stackglass_viewer.view.flame.compare_bar import CompareBar
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage

VIEWS = (
    "flame", "both", "top", "sandwich", "heap", "contention", "source", "summary", "tree",
    "graph", "time", "traces",
    "labels",
)  # fmt: skip
CONTENTION = ContentionBarState(
    kind=ContentionKind.BLOCK,
    is_delay=True,
    kinds=LISTED_KINDS,
    wanted=ContentionFilter(lock=1, primitive="threading.Condition.wait"),
    locks=((1, "shop.orders.OrderBook.lock"),),
    primitives=("threading.Condition.wait",),
    figures="20 recorded",
)


@pytest.fixture
def window(qt: QApplication) -> Iterator[MainWindow]:
    """With one tab that has all bars and all views."""
    theme, worker = load_theme("light"), Worker("page")
    made = MainWindow(theme)
    made.show_recent(("/tmp/one.prof",))
    page = ProfilePage(TopModel(worker), HeapModel(), theme)
    made.add_page(page, "shop.py 7", "")
    page.tables.add_types(TypeModel(page))
    page.tables.add_contention(ContentionModel(page), (WaitsModel(page), NowModel(page)))
    page.tables.add_labels(LabelModel(page))
    page.tables.add_source(SourceModel(page))
    page.tables.add_traces(TraceModel(page), StackModel(page))
    live = page.add_live_controls(ThreadModel())
    assert live.timeline.isHidden()  # made when it is asked for
    page.show_status(LiveStatus("running", 7, "shop.py", rates=Rates(100)))
    page.add_bar(partial(RemoteBar, SnapshotKind.CUMULATIVE, PARTS[SnapshotKind.CUMULATIVE], 60))
    page.add_bar(CompareBar)
    page.add_bar(GroupBar)
    for view in VIEWS:
        page.show_view(view)
    page.show_contention_state(CONTENTION)
    yield made
    made.deleteLater()
    worker.stop()


def test_every_control_of_a_window_has_a_name(window: MainWindow) -> None:
    assert len(list(list_controls(window))) > 80
    assert list_nameless(window) == []


def test_every_box_says_what_it_is_a_choice_of(window: MainWindow) -> None:
    """Its name on Linux is what is chosen; a label or a description says the rest."""
    boxes = [it for it in list_controls(window) if isinstance(it, QComboBox)]
    assert len(boxes) > 8
    silent = [describe(box) for box in boxes if not find_label(box) and not say_more(box)]
    assert silent == []
    assert {"CPU", "Wall"} <= {find_label(box) for box in boxes}


def test_every_control_of_a_dialog_has_a_name(window: MainWindow) -> None:
    dialogs: tuple[QWidget, ...] = (
        CommandPalette(window.menuBar(), window),
        ShortcutSheet(window),
        SaveDialog("shown", "everything", window),
    )
    for dialog in dialogs:
        assert list_nameless(dialog) == [], type(dialog).__name__
        dialog.deleteLater()


def test_a_control_without_a_name_is_found(qt: QApplication) -> None:
    from PySide6.QtWidgets import QLineEdit, QPushButton

    root = QWidget()
    QLineEdit(root)
    QPushButton("OK", root)
    assert list_nameless(root) == ["QLineEdit < QWidget"]
