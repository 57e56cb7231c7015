"""Contention choices: each is announced once, and filters that fit no more are dropped."""

from __future__ import annotations

from typing import Any

import pytest

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.snapshot import ALL_WAITS
from stackglass_viewer.presenter.settings.contention_choices import WAITING_NOW, ContentionChoices
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice


@pytest.fixture
def heard() -> list[Any]:
    return []


@pytest.fixture
def choices(heard: list[Any]) -> ContentionChoices:
    made = ContentionChoices(ContentionChoice(ContentionKind.BLOCK))
    made.value_chosen.connect(lambda value: heard.append(value.kind))
    made.changed.connect(lambda: heard.append("changed"))
    made.grouping_changed.connect(heard.append)
    made.stack_wanted.connect(heard.append)
    made.waits_watched.connect(heard.append)
    return made


def test_another_kind_keeps_the_lock_and_drops_the_call(choices: ContentionChoices) -> None:
    choices.choose_lock(3)
    choices.choose_primitive("sleep")
    choices.choose_kind(ContentionKind.BLOCK)
    assert choices.wanted.primitive == "sleep"
    choices.choose_kind(ContentionKind.GIL)
    assert (choices.wanted.lock, choices.wanted.primitive) == (3, "")


def test_the_first_kind_is_kept_for_later(choices: ContentionChoices, heard: list[Any]) -> None:
    choices.open_on(ContentionKind.MUTEX)
    assert heard == []
    choices.show_table(True)
    assert heard == [False, ContentionKind.MUTEX]


def test_a_filter_is_announced_where_it_changes(
    choices: ContentionChoices, heard: list[Any]
) -> None:
    choices.choose_lock(3)
    choices.choose_lock(3)
    choices.drop_filters()
    assert heard == ["changed", "changed"]
    assert choices.wanted is ALL_WAITS


def test_threads_that_wait_now_are_watched_while_they_are_shown(
    choices: ContentionChoices, heard: list[Any]
) -> None:
    choices.choose_grouping(WAITING_NOW)
    choices.show_table(True)
    choices.show_table(True)
    choices.choose_grouping("locks")
    assert heard == [WAITING_NOW, False, True, ContentionKind.BLOCK, "locks", False, "changed"]
    assert choices.grouping == "locks"


def test_a_pair_leads_to_its_other_side(choices: ContentionChoices, heard: list[Any]) -> None:
    choices.follow(17)
    assert heard == [17, "stacks", ContentionKind.MUTEX]
    choices.choose_kind(ContentionKind.GIL)
    heard.clear()
    choices.follow(17)  # the GIL has no pairs
    assert heard == []
