"""Status of a capture after each kind of message."""

from __future__ import annotations

import pytest

from stackglass.wire.heap_profile import describe_forgotten
from stackglass_viewer.model.proto.wire_pb2 import FromEngine
from stackglass_viewer.presenter.live.status_tracker import StatusTracker
from stackglass_viewer.presenter.settings.view_state import LiveStatus


@pytest.fixture
def tracker() -> StatusTracker:
    return StatusTracker(LiveStatus("waiting", 7, command="python -c …"))


def ready(*argv: str) -> FromEngine:
    message = FromEngine()
    message.ready.argv.extend(argv)
    message.ready.python_version = "3.13.0"
    return message


def test_a_program_names_itself_unless_its_arguments_say_nothing(tracker: StatusTracker) -> None:
    tracker.apply(ready("-c"))
    assert (tracker.status.phase, tracker.status.command) == ("running", "python -c …")
    tracker.apply(ready("app.py", "a  b"))
    assert tracker.status.command == "app.py a b"


def test_before_it_runs_a_status_only_says_how_long_the_gil_is_waited_for(
    tracker: StatusTracker,
) -> None:
    message = FromEngine()
    message.status.gil_wait_ns, message.status.n_samples = 5, 9
    tracker.apply(message)
    assert (tracker.status.gil_wait_ns, tracker.status.n_samples) == (5, 0)
    tracker.apply(ready("app.py"))
    tracker.apply(message)
    assert tracker.status.n_samples == 9


def test_wall_samples_are_counted_as_they_arrive(tracker: StatusTracker) -> None:
    for counts in ([2, 3], [], [4]):
        message = FromEngine()
        message.batch.wall_count.extend(counts)
        tracker.apply(message)
    assert tracker.status.n_wall_samples == 9


def test_heap_figures_are_put_together(tracker: StatusTracker) -> None:
    message = FromEngine()
    status = message.heap_status
    status.n_lost, status.n_lost_frees, status.n_native_libraries = 1, 2, 3
    status.time_mono_ns, status.full_mono_ns = 100, 130  # a collection after the drain
    tracker.apply(message)
    heap = tracker.status.heap
    assert heap is not None
    assert (heap.n_lost, heap.n_native_libraries, heap.full_age_ns) == (3, 0, 0)
    assert heap.forgotten == describe_forgotten(0, 2)


def test_requests_end_with_their_answers(tracker: StatusTracker) -> None:
    tracker.begin_census()
    message = FromEngine()
    message.census.n_objects = 1
    tracker.apply(message)
    assert (tracker.status.is_counting, tracker.status.n_censuses) == (False, 1)


@pytest.mark.parametrize(("reason", "phase"), [("", "detached"), ("the program ends", "ended")])
def test_a_farewell_with_a_reason_is_an_end(
    tracker: StatusTracker, reason: str, phase: str
) -> None:
    tracker.begin_collection()
    message = FromEngine()
    message.bye.reason = reason
    message.bye.SetInParent()
    tracker.apply(message)
    assert (tracker.status.phase, tracker.status.message) == (phase, reason)
    assert not tracker.status.is_collecting
    assert tracker.has_news
    assert tracker.is_urgent


@pytest.mark.parametrize("cpu_hz", [100, 0])
def test_a_program_that_ended_keeps_the_rate_that_it_had(
    tracker: StatusTracker, cpu_hz: int
) -> None:
    """The sampler stops before the farewell, so the last status has a rate of 0."""
    tracker.apply(ready("app.py"))
    rates, status, bye = FromEngine(), FromEngine(), FromEngine()
    rates.rates.cpu_hz = cpu_hz
    rates.rates.wall_hz = 10
    status.status.SetInParent()
    bye.bye.reason = "the program ends"
    for message in (rates, status, bye):
        tracker.apply(message)
    assert (tracker.status.phase, tracker.status.rates.cpu_hz) == ("ended", cpu_hz)
