"""What the tab of a process shows over time: made again in time, and not too often."""

from __future__ import annotations

import weakref
from dataclasses import replace

import pytest

from harness.heap_talk import S
from harness.live_source import GONE, PALETTE, sample, sample_live
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.live_profile import CPU, SAMPLES, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.live import live_chart_data
from stackglass_viewer.presenter.live.live_chart_data import CaptureTimes
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.settings.native_level import NativeLevel
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice, find_heap_type
from stackglass_viewer.presenter.tables.top_model import Arrangement

OBJECTS = TypeId(find_heap_type(LIVE_TYPES, HeapChoice(is_space=False)))
REQUEST = BuildRequest(CPU, "cost", PALETTE, Arrangement(), has_times=True)


class FakeTime:
    """Time by the clock, and of the processor: each making takes ``making_s``."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.making_s = 0.0
        self._used_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def thread_time(self) -> float:
        """Asked for before each making, and after it."""
        self._used_s += self.making_s
        return self._used_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    made = FakeTime()
    monkeypatch.setattr(live_chart_data, "time", made)
    return made


@pytest.fixture
def times() -> CaptureTimes:
    live: LiveProfile = sample_live()
    return CaptureTimes(live, FrameColours())


def test_it_is_made_once_a_second(clock: FakeTime, times: CaptureTimes) -> None:
    first = times.make(REQUEST, None)
    assert first is not None
    clock.now_s += 0.9
    assert times.make(REQUEST, None) is first
    clock.now_s += 0.2
    assert times.make(REQUEST, None) is not first


def test_it_ends_where_it_is_paused() -> None:
    live = sample_live()
    times = CaptureTimes(live, FrameColours())
    held = replace(REQUEST, times_until=live.facts.latest)
    paused = times.make(held, None)
    sample(live, (3, 8, 12.0, 100, S))
    later = times.make(REQUEST, None)
    assert paused is not None
    assert later is not None
    assert paused.stretches.last_ns < later.stretches.last_ns
    again = times.make(held, None)
    assert again is not None
    assert again.stretches.last_ns == paused.stretches.last_ns
    assert again.stretches.end_ns.tolist() == paused.stretches.end_ns.tolist()


def test_what_takes_long_is_made_less_often(clock: FakeTime, times: CaptureTimes) -> None:
    """Of a session of hours it took a third of each second."""
    clock.making_s = 0.3
    first = times.make(REQUEST, None)
    clock.now_s += 4.4
    assert times.make(REQUEST, None) is first
    clock.now_s += 0.2
    assert times.make(REQUEST, None) is not first


def test_another_choice_is_shown_at_once(clock: FakeTime, times: CaptureTimes) -> None:
    clock.making_s = 0.3
    first = times.make(REQUEST, None)
    other = times.make(replace(REQUEST, type_index=SAMPLES), None)
    assert other is not first
    assert times.make(replace(REQUEST, has_times=False), None) is None


def test_times_are_given_back_when_another_type_or_view_is_looked_at() -> None:
    source = LiveSource(sample_live(), GONE)
    for is_heap in (True, False):
        built = source.build(BuildRequest(CPU, "cost", PALETTE, Arrangement(), has_times=True))
        assert built.timed is not None
        kept = weakref.ref(built.timed.stretches.node)
        del built
        assert kept() is not None, "they are made once a second at most"
        wanted = OBJECTS if is_heap else CPU
        source.build(BuildRequest(wanted, "cost", PALETTE, Arrangement(), has_times=is_heap))
        assert kept() is None


@pytest.mark.parametrize(
    ("level", "expected"),
    [("all", {"m.f", "m.g", "libz: inflate"}), ("python", {"m.f", "m.g"})],
)
def test_c_code_is_left_out_as_in_the_graph(level: NativeLevel, expected: set[str]) -> None:
    live = sample_live()
    code = Batch(
        strings=["libz: inflate"],
        function_name=[4],
        function_system_name=[4],
        function_filename=[0],
        function_start_line=[0],
        location_function=[2],
        location_line=[0],
        node_parent=[3],
        node_location=[3],
    )
    live.apply(FromEngine(batch=code))
    sample(live, (4, 8, 9.0, 100, S))
    made = CaptureTimes(live, FrameColours()).make(replace(REQUEST, native=level), None)
    assert made is not None
    stretches = made.stretches
    frames = stretches.tree.frame[stretches.node].tolist()
    assert {stretches.tree.frame_name[frame] for frame in frames} == expected
