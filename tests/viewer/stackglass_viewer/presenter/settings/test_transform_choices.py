"""Steps that are changed and moved."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.transform_choices import (
    TransformChoices,
    list_alternatives,
)

A, B, C = (Transform(TransformKind.FOCUS, name) for name in "abc")


@pytest.fixture
def choices(qt: QApplication) -> TransformChoices:
    made = TransformChoices()
    for each in (A, B, C):
        made.add(each)
    return made


def test_a_step_is_changed_where_it_stands(choices: TransformChoices) -> None:
    without = Transform(TransformKind.DROP, "b")
    choices.change(B, without)
    assert list(choices.chosen) == [A, without, C]
    choices.change(without, C)
    assert list(choices.chosen) == [A, C], "one step is not applied twice"
    choices.change(B, A)  # it is not there any more
    assert list(choices.chosen) == [A, C]


def test_a_step_is_moved(choices: TransformChoices) -> None:
    choices.move(A, 1)
    assert list(choices.chosen) == [B, A, C]
    choices.move(A, 1)
    assert list(choices.chosen) == [B, C, A]
    for step, by in ((A, 1), (B, -1)):  # they are at the ends
        choices.move(step, by)
        assert list(choices.chosen) == [B, C, A]
    choices.move(Transform(TransformKind.DROP, "x"), 1)
    assert list(choices.chosen) == [B, C, A]


def test_alternatives_are_of_the_same_function() -> None:
    assert A in list_alternatives(A)
    assert {each.name for each in list_alternatives(A)} == {"a"}
    assert list_alternatives(Transform(TransformKind.RECURSION)) == ()
