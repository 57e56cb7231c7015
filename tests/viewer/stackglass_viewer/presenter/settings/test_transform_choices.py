"""Steps that are changed and moved."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.call_paths import write_path
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.transform_choices import (
    TransformChoices,
    describe_transform,
    explain_transform,
    list_alternatives,
)

A, B, C, D = (Transform(TransformKind.FOCUS, name) for name in "abcd")


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


def make_subtree(names: list[str]) -> Transform:
    return Transform(TransformKind.CALL_PATH, write_path(names))


def test_a_subtree_of_a_subtree_is_one_step(choices: TransformChoices) -> None:
    choices.add(make_subtree(["main", "work", "work"]))
    choices.add(make_subtree(["work", "work"]))  # of a function that calls itself
    assert list(choices.chosen) == [A, B, C, make_subtree(["main", "work", "work", "work"])]
    choices.add(D)
    choices.add(make_subtree(["work"]))  # may be another path after the step between
    assert list(choices.chosen)[4:] == [D, make_subtree(["work"])]


def test_a_subtree_is_named_by_its_last_function() -> None:
    names = [f"f{number}" for number in range(40)]
    texts = [describe_transform(make_subtree(names[:n])) for n in (1, 3)]
    assert texts == ["Subtree of f0", "Subtree of f2"]
    lines = explain_transform(make_subtree(names)).split("\n")
    assert lines[:4] == ["Subtree of f39", "f0", "…", "f26"]
    assert lines[-1] == "f39"
    assert len(lines) == 17
    assert explain_transform(A) == "Only through a"


def test_alternatives_are_of_the_same_function() -> None:
    assert A in list_alternatives(A)
    assert {each.name for each in list_alternatives(A)} == {"a"}
    assert list_alternatives(Transform(TransformKind.RECURSION)) == ()
