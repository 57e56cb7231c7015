"""A closed choice box keeps its choice, whatever the wheel and the keys do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

from stackglass_viewer.presenter.settings.rate_presets import USUAL
from stackglass_viewer.presenter.tables.process_model import ProcessModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.lazy_combo import LazyCombo
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme

KEY = Qt.Key
CHANGING_KEYS = (KEY.Key_PageDown, KEY.Key_PageUp, KEY.Key_Home, KEY.Key_End, KEY.Key_2)


@pytest.fixture
def box(qt: QApplication) -> Iterator[ChoiceBox]:
    made = ChoiceBox()
    made.addItems(["1", "2", "3", "4"])
    made.setCurrentIndex(1)
    made.show()
    made.setFocus()
    yield made
    made.hidePopup()
    made.deleteLater()


def test_the_open_list_has_the_name_of_its_box(box: ChoiceBox) -> None:
    box.setAccessibleName("Sample type")
    box.showPopup()
    spoken = QAccessible.queryAccessibleInterface(box.view())
    assert spoken.text(QAccessible.Text.Name) == "Sample type"


def roll(box: QComboBox, notches: int) -> bool:
    """Whether the wheel's turn was taken."""
    place = QPointF(box.rect().center())
    turn = QWheelEvent(
        place,
        place,
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, turn)
    return turn.isAccepted()


def test_the_wheel_changes_nothing(box: ChoiceBox) -> None:
    assert not roll(box, -3)
    assert not roll(box, 3)
    assert box.currentIndex() == 1


@pytest.mark.parametrize("key", CHANGING_KEYS)
def test_keys_change_nothing(box: ChoiceBox, key: Qt.Key) -> None:
    QTest.keyClick(box, key)
    assert box.currentIndex() == 1
    assert not box.view().isVisible()


@pytest.mark.parametrize("key", [KEY.Key_Down, KEY.Key_Up, KEY.Key_Space, KEY.Key_Return])
def test_a_key_opens_the_list_and_another_chooses(box: ChoiceBox, key: Qt.Key) -> None:
    chosen: list[int] = []
    box.activated.connect(chosen.append)
    QTest.keyClick(box, key)
    assert box.view().isVisible()
    assert box.currentIndex() == 1
    QTest.keyClick(box.view(), KEY.Key_Down)
    QTest.keyClick(box.view(), KEY.Key_Return)
    assert chosen == [2]
    assert box.currentIndex() == 2


def test_escape_closes_the_list_and_keeps_the_choice(box: ChoiceBox) -> None:
    QTest.keyClick(box, KEY.Key_Down)
    QTest.keyClick(box.view(), KEY.Key_Down)
    QTest.keyClick(box.view(), KEY.Key_Escape)
    assert not box.view().isVisible()
    assert box.currentIndex() == 1
    QTest.keyClick(box, KEY.Key_Down)
    assert box.view().currentIndex().row() == 1, "the list goes on where it was left"


def test_every_box_of_a_capture_is_one(qt: QApplication) -> None:
    """Of the bar, of the dialog, of contention's filters."""
    theme = load_theme("light")
    bar, dialog = LiveBar(ThreadModel(), theme), AttachDialog(ProcessModel(), USUAL.rates, theme)
    parents: tuple[QWidget, ...] = (bar, dialog)
    boxes = [box for parent in parents for box in parent.findChildren(QComboBox)]
    assert len(boxes) == 6
    assert all(isinstance(box, ChoiceBox) for box in boxes)
    assert issubclass(LazyCombo, ChoiceBox)
    for parent in parents:
        parent.deleteLater()


@pytest.mark.parametrize("theme", ["light", "contrast-dark"])
def test_only_a_text_that_has_no_room_is_cut_with_a_sign(
    qt: QApplication, box: ChoiceBox, theme: str
) -> None:
    apply_theme(qt, load_theme(theme))
    box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
    for text in ("In use, objects", "samples of a very long type, in nanoseconds"):
        box.clear()
        box.addItem(text)
        box.resize(box.sizeHint())
        assert box._describe().currentText == text
        box.resize(box.width() - 20, box.height())
        assert box._describe().currentText.endswith("…")


def test_a_box_without_a_choice_shows_its_placeholder(box: ChoiceBox) -> None:
    box.setPlaceholderText("Choose a profile")
    box.setCurrentIndex(-1)
    box.resize(300, box.height())
    assert box._describe().currentText == "Choose a profile"
    assert not box.grab().isNull()
