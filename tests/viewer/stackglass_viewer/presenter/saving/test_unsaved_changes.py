"""What would be lost with a tab: only what was seen, and only what no file has."""

from __future__ import annotations

from dataclasses import replace

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.saving.unsaved_changes import Unsaved
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    SampleChoice,
)
from stackglass_viewer.presenter.settings.view_state import (
    ContentionFigures,
    HeapFigures,
    LiveStatus,
)

HEAP = HeapFigures(9, None, 0, 0, 0, 0, 0, 0, 0, (), "", None, True, 0, "")
WAITS = ContentionFigures(4, 0, 0, 0, 1, "", "", "", "")
STATUS = LiveStatus("running", 7, heap=HEAP, contention=WAITS)


def plan(shown: SampleChoice) -> SavePlan:
    return SavePlan(shown, HeapWhen.LIVE, "All", None, None, "all")


def test_samples_count_until_they_are_saved() -> None:
    unsaved = Unsaved()
    assert not unsaved.is_any(STATUS)
    sampled = replace(STATUS, n_samples=5)
    assert unsaved.is_any(sampled)
    unsaved.remember(plan(SampleChoice((), 0)), sampled)
    assert not unsaved.is_any(sampled)
    assert unsaved.is_any(replace(STATUS, n_samples=6))


def test_wall_samples_count_until_they_are_saved() -> None:
    """A process that sleeps has no others."""
    unsaved = Unsaved()
    slept = replace(STATUS, n_wall_samples=5)
    assert unsaved.is_any(slept)
    unsaved.remember(plan(SampleChoice((), 0)), slept)  # of the CPU: no help for these
    assert unsaved.is_any(slept)
    unsaved.remember(plan(SampleChoice((), 0, is_wall=True)), slept)
    assert not unsaved.is_any(slept)
    unsaved.remember_all(replace(slept, n_wall_samples=7))
    assert not unsaved.is_any(replace(slept, n_wall_samples=7))
    assert unsaved.is_any(replace(slept, n_wall_samples=8))


def test_a_file_of_wall_samples_has_those_of_the_cpu() -> None:
    unsaved = Unsaved()
    sampled = replace(STATUS, n_samples=5, n_wall_samples=5)
    unsaved.remember(plan(SampleChoice((), 0, is_wall=True)), sampled)
    assert not unsaved.is_any(sampled)


def test_heap_and_waits_count_once_they_were_seen() -> None:
    unsaved = Unsaved()
    for see, shown in (
        (unsaved.see_heap, SampleChoice((), 0, HeapChoice(), None)),
        (unsaved.see_contention, SampleChoice((), 0, None, ContentionChoice())),
    ):
        assert not unsaved.is_any(STATUS)
        see()
        assert unsaved.is_any(STATUS)
        unsaved.remember(plan(SampleChoice((), 0)), STATUS)  # of the CPU: no help for these
        assert unsaved.is_any(STATUS)
        unsaved.remember(plan(shown), STATUS)
        assert not unsaved.is_any(STATUS)


def test_a_profile_that_the_program_fills_has_no_samples() -> None:
    unsaved = Unsaved()
    sampled = replace(STATUS, n_samples=5)
    unsaved.remember(plan(SampleChoice((), 0, custom="pool")), sampled)
    assert unsaved.is_any(sampled)
