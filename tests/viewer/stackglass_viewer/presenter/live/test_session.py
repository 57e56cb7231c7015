"""A session that is saved and opened again shows what it showed, number by number."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.deep_values import list_values
from harness.every_message import make_messages
from harness.synthetic_engine import MAIN_TID, WORKER_TID
from harness.window_session import make_target
from stackglass.errors import OutputError
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Batch, FromEngine
from stackglass_viewer.model.session.saved_session import SavedSession, open_saved_session
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.live import session
from stackglass_viewer.presenter.live.session import RecordedSession, describe_saved
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement

PID = os.getpid()


@pytest.fixture
def recorded() -> Iterator[RecordedSession]:
    made = RecordedSession(make_target(PID))
    yield made
    made.close()


def fill(session: RecordedSession) -> None:
    """Every kind of message, and a clear in the middle."""
    for number, packed in enumerate(make_messages()):
        session.live.apply(FromEngine.FromString(packed))
        if number == 3:  # after the first samples
            session.live.clear()


def reopen(session: RecordedSession, tmp_path: Path) -> SavedSession:
    path = tmp_path / "session.sgm"
    assert "is saved" in session.write(str(path))
    return open_saved_session(path)


def list_requests() -> Iterator[BuildRequest]:
    """Every kind, and then every filter."""
    arranged = ("cost", choose_palette("module", False), Arrangement())
    for index in range(len(LIVE_TYPES) + 1):  # and the profile that the program fills
        yield BuildRequest(TypeId(index), *arranged, label_key="", has_times=True)
    cpu = TypeId(0)
    yield BuildRequest(cpu, *arranged, span_ns=10_000_000_000)
    yield BuildRequest(cpu, *arranged, tids=frozenset({WORKER_TID}))
    yield BuildRequest(cpu, *arranged, labels=frozenset({("route", "/a")}))
    yield BuildRequest(cpu, *arranged, split_key="route")
    for index in range(4, len(LIVE_TYPES)):
        kind = TypeId(index)
        yield BuildRequest(kind, *arranged, heap_grouping="sites", heap_when=HeapWhen.AS_OF_FULL)
        yield BuildRequest(kind, *arranged, waits_grouping="stacks")
        for window in (HeapWindow("growth", 500, 1000), HeapWindow("span", 300, None)):
            yield BuildRequest(kind, *arranged, heap_grouping="functions", window=window)


def list_shown(live: LiveProfile) -> list[object]:
    """What every view shows, and the timeline."""
    source = LiveSource(live, 0)
    shown: list[object] = [list_values(source.build(request)) for request in list_requests()]
    shown += [live.capture_memory(), live.capture_metrics(), live.list_types(), live.list_waits()]
    shown += [live.export(), live.export(is_wall=True), live.facts, live.to_unix_ns(10**12)]
    return [list_values(each) for each in shown]


def test_every_view_has_the_same_numbers_again(recorded: RecordedSession, tmp_path: Path) -> None:
    fill(recorded)
    before = list_shown(recorded.live)
    after = list_shown(reopen(recorded, tmp_path).live)
    assert len(before) > 60
    for number, (earlier, later) in enumerate(zip(before, after, strict=True)):
        assert earlier == later, number


def test_the_data_are_of_every_kind(recorded: RecordedSession) -> None:
    """Else two empty views would agree."""
    fill(recorded)
    source = LiveSource(recorded.live, 0)
    totals: dict[TypeId, int] = {}
    for request in list_requests():
        scene = source.build(request).scene
        assert scene is not None
        kind = request.type_index
        totals[kind] = max(totals.get(kind, 0), int(scene.values.total[0]))
    kinds = {source.build(each).info.choice.entry for each in list_requests()}
    assert kinds == set(range(7))
    assert [kind for kind in (0, 1, 2, 3, 4, 5, 6, 7, 8) if not totals[TypeId(kind)]] == []
    assert totals[TypeId(len(LIVE_TYPES))] == 3


def test_a_session_goes_on_after_it_is_saved(recorded: RecordedSession, tmp_path: Path) -> None:
    fill(recorded)
    first = reopen(recorded, tmp_path)
    n_before = len(first.live.export().rows.count)
    batch = Batch(
        sample_node=[1],
        sample_tid=[MAIN_TID],
        sample_labels=[0],
        sample_time=[2500],
        sample_count=[1],
        sample_cpu_ns=[1],
    )
    recorded.live.apply(FromEngine(batch=batch))
    again = reopen(recorded, tmp_path)
    assert len(again.live.export().rows.count) == n_before + 1


def test_the_status_is_that_of_a_file(recorded: RecordedSession, tmp_path: Path) -> None:
    fill(recorded)
    status = describe_saved(reopen(recorded, tmp_path))
    assert status.phase == "saved"
    assert not status.is_attached
    assert (status.pid, status.command) == (PID, "python3 shop.py --busy")
    assert (status.n_samples, status.n_lost) == (16, 2)
    assert status.message.startswith(f"a saved session of process {PID}, begun ")


def test_a_session_that_cannot_be_written_is_an_error(recorded: RecordedSession) -> None:
    fill(recorded)
    with pytest.raises(OutputError, match="cannot write /nowhere"):
        recorded.write("/nowhere/at/all.sgm")


def test_threads_that_ended_are_known_in_the_file(
    recorded: RecordedSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(recorded)
    monkeypatch.setattr(session, "list_threads", lambda _pid: frozenset((MAIN_TID,)))
    opened = reopen(recorded, tmp_path)
    assert opened.alive == frozenset({MAIN_TID})
    request = next(iter(list_requests()))
    rows = LiveSource(opened.live, 0, opened.alive).build(request).threads
    assert rows is not None
    has_ended = {tid: row.is_ended for row in rows for tid in row.tids}
    assert has_ended[MAIN_TID] is False
    assert has_ended[WORKER_TID] is True
