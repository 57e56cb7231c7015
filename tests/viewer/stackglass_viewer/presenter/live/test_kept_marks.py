"""Marks of a session's timeline, as a file keeps them and as they are chosen again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.session.notes import Marks
from stackglass_viewer.presenter.live.kept_marks import apply_marks, read_marks
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers
from stackglass_viewer.presenter.worker import Worker

MS_10 = 10_000_000


@pytest.fixture
def markers(qt: QApplication) -> Iterator[TimelineMarkers]:
    worker = Worker("test")
    yield TimelineMarkers(LiveProfile(), worker)
    worker.stop()


def test_nothing_is_kept_of_now(markers: TimelineMarkers) -> None:
    assert read_marks(markers) is None


@pytest.mark.parametrize(
    "marks",
    [
        Marks("span", 3 * MS_10, 12 * MS_10),
        Marks("growth", 3 * MS_10, 12 * MS_10),
        Marks("growth", 3 * MS_10, None),
    ],
)
def test_what_was_kept_is_chosen_again(markers: TimelineMarkers, marks: Marks) -> None:
    apply_marks(marks, markers)
    assert read_marks(markers) == marks


def test_a_replay_is_kept_as_its_span(markers: TimelineMarkers) -> None:
    markers.replay(2.0, 7.0)
    assert read_marks(markers) == Marks("span", 2 * MS_10, 7 * MS_10)


def test_a_span_takes_all_of_its_last_unit(markers: TimelineMarkers) -> None:
    apply_marks(Marks("span", 3 * MS_10 + 1, 5 * MS_10 + 1), markers)
    assert read_marks(markers) == Marks("span", 3 * MS_10, 6 * MS_10)
