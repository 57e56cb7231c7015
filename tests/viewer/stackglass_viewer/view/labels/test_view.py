"""The label view: the names of labels are shown safely, and chosen as they are."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.label_values import LabelValues
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.widgets.theme import load_theme


def test_an_odd_name_of_a_label_is_shown_safely_and_chosen_as_it_is(qt: QApplication) -> None:
    model = LabelModel()
    view = LabelView(model, load_theme("light"))
    keys = ("line\nbreak", "turned\u202e")
    model.set_values(LabelValues(keys, keys[1], None, 10, "count", True))
    box = view._keys
    assert [box.itemText(row) for row in range(2)] == ["line\ufffdbreak", "turned\ufffd"]
    assert box.currentText() == "turned\ufffd"
    chosen: list[str] = []
    for signal in (view.key_chosen, view.split_chosen, view.colour_chosen):
        signal.connect(chosen.append)
    box.setCurrentIndex(0)
    box.activated.emit(0)
    view._split.click()
    view._colour.click()
    assert chosen == [keys[0]] * 3
    view.show_split(keys[0])
    assert view._split.isChecked()
    view.deleteLater()
