"""Heap choices: two switches for four values, and a table that is built while it is shown."""

from __future__ import annotations

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.heap_choices import HeapChoices
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice


def test_each_switch_leaves_the_other() -> None:
    choices = HeapChoices(HeapChoice())
    seen: list[HeapChoice] = []
    choices.value_chosen.connect(seen.append)
    choices.choose_measure(None, False)
    choices.choose_measure(False, None)
    assert seen == [HeapChoice(True, False), HeapChoice(False, False)]


def test_moment_and_grouping_are_announced() -> None:
    choices = HeapChoices(HeapChoice())
    heard: list[object] = []
    choices.changed.connect(lambda: heard.append("changed"))
    choices.value_chosen.connect(heard.append)
    choices.choose_when(HeapWhen.AS_OF_FULL)
    choices.choose_grouping("functions")
    for is_shown in (True, True, False):
        choices.show_table(is_shown)
    assert heard == ["changed", "changed", HeapChoice()]
    assert (choices.when, choices.grouping) == (HeapWhen.AS_OF_FULL, "functions")
