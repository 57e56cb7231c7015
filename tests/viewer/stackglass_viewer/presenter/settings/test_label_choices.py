"""Label choices: which labels are filtered for, and when views are built again."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.label_choices import LabelChoices

A, B, EVE = ("route", "/a"), ("route", "/b"), ("user", "eve")


@pytest.fixture
def choices() -> LabelChoices:
    return LabelChoices()


def test_a_value_replaces_those_of_its_key_alone(choices: LabelChoices) -> None:
    shown: list[object] = []
    choices.chosen_changed.connect(shown.append)
    choices.choose_only(A)
    choices.choose_only(EVE)
    choices.choose_only(B)
    choices.choose_only(B)  # no change
    choices.toggle(A)
    choices.toggle(B)
    choices.drop_all()
    choices.drop_all()  # no change
    assert shown == [(A,), (A, EVE), (B, EVE), (A, B, EVE), (A, EVE), ()]


def test_the_table_is_built_when_it_is_shown_or_its_key_changes(choices: LabelChoices) -> None:
    builds: list[str] = []
    choices.changed.connect(lambda: builds.append(choices.key))
    choices.show_table(True)
    choices.show_table(True)
    choices.choose_key("route")
    choices.choose_key("route")
    choices.show_table(False)
    assert builds == ["", "route"]
