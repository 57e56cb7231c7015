"""Filters in words, as pictures and exported files show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.filter_sets import FilterSet
from stackglass_viewer.presenter.settings.filter_texts import describe_data
from stackglass_viewer.presenter.settings.sample_choice import SampleChoice
from stackglass_viewer.presenter.settings.thread_choice import NamePattern, ThreadChoice
from stackglass_viewer.presenter.settings.view_state import DocumentInfo

INFO = DocumentInfo(
    "p",
    "1.20 s",
    SampleChoice((), 0),
    has_stacks=True,
    is_live=False,
    has_labels=True,
    can_filter=True,
)
FOCUS = Transform(TransformKind.FOCUS, "price")
MINE = Transform(TransformKind.OWN_CODE, "")
THREADS = {
    "only 1 thread": ThreadChoice(tids=frozenset([7])),
    "only 2 threads": ThreadChoice(tids=frozenset([7, 8])),
    "only some threads": ThreadChoice(folded=frozenset(["pool"])),
    "only threads ~ pool": ThreadChoice(named=NamePattern("pool")),
    "without threads ~ pool": ThreadChoice(named=NamePattern("pool", is_excluded=True)),
}


def test_without_filters_it_is_the_description() -> None:
    assert describe_data(INFO, FilterSet()) == "1.20 s"
    assert describe_data(None, FilterSet(transforms=(FOCUS,))) == ""


def test_filters_stand_in_their_order() -> None:
    filters = FilterSet(
        transforms=(FOCUS, MINE),
        labels=frozenset([("route", "/a"), LabelPattern("user", "eve", is_excluded=True)]),
        span=(1_000_000_000, 3_000_000_000),
    )
    assert describe_data(INFO, filters) == (
        "1.20 s  ·  Filtered: only through price; only my code;"
        " only route = /a, not user ~ eve; only 1.00 s to 3.00 s (2.00 s)"
    )


@pytest.mark.parametrize("words", THREADS)
def test_threads(words: str) -> None:
    filters = FilterSet(threads=THREADS[words])
    assert describe_data(INFO, filters) == f"1.20 s  ·  Filtered: {words}"


def test_filters_without_an_effect_are_not_named() -> None:
    filters = FilterSet(transforms=(FOCUS,), labels=frozenset([("route", "/a")]))
    idle = replace(INFO, idle_keys=frozenset(["route"]), can_filter=False)
    assert describe_data(idle, filters) == "1.20 s"
    assert (
        describe_data(replace(idle, has_labels=False, idle_keys=frozenset()), filters) == "1.20 s"
    )
