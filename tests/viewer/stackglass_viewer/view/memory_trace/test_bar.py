"""The bar of a memory trace: what is shown, in words, has room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.memory_trace.subject import SubjectKind
from stackglass_viewer.view.memory_trace.bar import TraceBar
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme

SUBJECT = "Live at 1.25 s: 4.49 MiB in 20 objects"


@pytest.fixture
def bar(qt: QApplication) -> Iterator[TraceBar]:
    apply_theme(qt, load_theme("light"))
    made = TraceBar(load_theme("light"))
    made.show_kind(SubjectKind.MOMENT)
    made.show_subject(SUBJECT)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_what_is_shown_can_be_read_in_a_narrow_window(bar: TraceBar) -> None:
    for width_px, is_folded in ((1366, False), (960, True), (1366, False)):
        bar.resize(width_px, bar.sizeHint().height())
        QApplication.processEvents()
        assert bar._about.text() == SUBJECT, width_px
        assert bar._kinds.is_folded == is_folded


def test_the_subject_can_be_chosen_from_the_list(bar: TraceBar) -> None:
    chosen: list[SubjectKind] = []
    bar.kind_chosen.connect(chosen.append)
    bar.resize(960, bar.sizeHint().height())
    menu = bar._kinds._list.menu()
    menu.aboutToShow.emit()
    (leaked,) = (action for action in menu.actions() if action.text() == "Leaked")
    leaked.trigger()
    assert chosen == [SubjectKind.LEAKS]
