"""Waiters and holders now, as an item model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from harness.contention_talk import MAIN, N_STRINGS, OTHER, START_NS, WORKER, ContentionTalk, S
from stackglass_viewer.model.proto.wire_pb2 import Batch, Contention, FromEngine
from stackglass_viewer.presenter.tables.table_model import say_cell
from stackglass_viewer.presenter.tables.waits_model import WaitsModel


@pytest.fixture
def model() -> WaitsModel:
    made = WaitsModel()
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    made.tester = QAbstractItemModelTester(made, fatal)  # type: ignore[attr-defined] # kept alive
    return made


def test_a_wait_of_before_the_attach_has_no_duration(model: WaitsModel) -> None:
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, None, MAIN), (OTHER, 2, None, 0), inside=(1, 0))
    model.set_table(talk.live.list_waits())
    assert [[model.index(row, place).data() for place in (0, 3)] for row in range(3)] == [
        [0, ""],
        ["before attach", "MainThread, inside its with"],
        ["before attach", "unknown"],
    ]


def test_a_queue_has_no_holder(model: WaitsModel) -> None:
    talk = ContentionTalk()
    talk.live.apply(FromEngine(batch=Batch(strings=["Queue"])))
    queue = Contention(lock_primitive=[N_STRINGS], lock_address=[0x3000])
    talk.live.apply(FromEngine(contention=queue))
    talk.waits(10, (WORKER, 3, 7.5, 0))
    model.set_table(talk.live.list_waits())
    assert [model.index(0, place).data() for place in (2, 3)] == ["Queue 0x3000", "none"]


def test_rows_that_are_aimed_at_stay_where_they_are(model: WaitsModel) -> None:
    talk = ContentionTalk()
    heard: list[str] = []
    model.summarised.connect(lambda _, text: heard.append(text))

    def list_threads() -> list[object]:
        return [model.index(row, 1).data() for row in range(model.rowCount())]

    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits())
    model.choose(1)
    model.hold(True)
    talk.waits(11, (MAIN, 1, 7.5, OTHER), (WORKER, 1, 7.5, OTHER))
    model.set_table(talk.live.list_waits())
    held = list_threads()
    assert [str(each).removeprefix("└ ") for each in held[:2]] == ["MainThread", "worker"]
    assert len(held) == 3
    assert heard[-1].endswith("order held")
    talk.waits(12, (OTHER, 1, 7.5, 0))
    model.set_table(talk.live.list_waits())
    assert list_threads()[:2] == [None, None], "they wait no more"
    model.hold(False)
    assert len(list_threads()) == 1
    assert not heard[-1].endswith("order held")


def test_no_row_hangs_below_a_thread_that_it_does_not_wait_for(model: WaitsModel) -> None:
    """While rows are held, a new waiter comes last, below whatever row is there."""

    def list_threads() -> list[object]:
        return [model.index(row, 1).data() for row in range(model.rowCount())]

    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits())
    model.hold(True)
    talk.waits(11, (WORKER, 2, 7.5, 0), (OTHER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits())
    assert list_threads() == ["MainThread", "worker", f"thread {OTHER}"]
    model.hold(False)
    assert list_threads() == ["MainThread", f"└ thread {OTHER}", "worker"]


def test_another_moment_keeps_no_empty_rows(model: WaitsModel) -> None:
    """The span of the timeline was moved while a row was selected."""
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits(), is_past=True)
    model.hold(True)
    talk.waits(11, (WORKER, 1, 7.5, MAIN), (OTHER, 2, 7.5, 0))
    for is_past in (True, False):
        model.set_table(talk.live.list_waits(), is_past)
        assert model.rowCount() == 3
        talk.waits(12, (WORKER, 1, 7.5, MAIN))
        model.set_table(talk.live.list_waits(), is_past=True)
        names = [model.index(row, 1).data() for row in range(model.rowCount())]
        assert names == ["MainThread", "└ worker"]
        assert not model.is_order_held
        talk.waits(13, (WORKER, 1, 7.5, MAIN), (OTHER, 2, 7.5, 0))


def test_who_waits_now_keeps_its_rows(model: WaitsModel) -> None:
    talk = ContentionTalk()
    heard: list[tuple[tuple[str, ...], str]] = []
    model.summarised.connect(lambda *words: heard.append(words))
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits())
    texts = [[model.index(row, place).data() for place in range(4)] for row in range(2)]
    assert texts == [
        [0, "MainThread", "", ""],
        [2_500_000_000, "└ worker", "m.LOCK", "MainThread"],
    ]
    assert heard[-1][0] == ()
    talk.waits(10, (WORKER, 1, 7.5, MAIN), (MAIN, 2, 7.5, WORKER), taken=(1, 0), stuck=(1, 1))
    model.set_table(talk.live.list_waits())
    ((sentence,), _) = heard[-1]
    assert sentence.startswith("Possible deadlock, not every holder is proven: worker waits for ")
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    model.set_table(talk.live.list_waits())
    model.choose(1)
    assert model.stack.rowCount() == 2
    talk.waits(11, (WORKER, 0, 7.5, 0))
    model.set_table(talk.live.list_waits())
    assert [model.index(0, place).data() for place in (1, 2, 3)] == [
        "worker",
        "Lock.acquire",
        "unknown",
    ]
    assert heard[-1] == ((), "1 thread waiting for a lock now")


def test_of_an_earlier_wait_it_is_said_for_how_long_at_least(model: WaitsModel) -> None:
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, None, MAIN), (OTHER, 2, None, 0), (MAIN, 2, 7.5, 0))

    def list_asleep(mono_ns: int, tids: Iterable[int]) -> Mapping[int, int]:
        assert (mono_ns, sorted(tids)) == (START_NS + 10 * S, sorted((WORKER, OTHER)))
        return {WORKER: 90 * S}

    model.set_table(talk.live.list_waits(list_asleep))
    cells = [model.cell(row, 0) for row in range(3)]
    assert [say_cell(cell) for cell in cells if cell] == ["2.50 s", "≥1.50 min", "before attach"]
    assert model.has_earlier


def test_the_way_to_who_holds_it(model: WaitsModel) -> None:
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, 7.5, MAIN), (OTHER, 2, 9.0, 0))
    model.set_table(talk.live.list_waits())
    names = [model.index(row, 1).data() for row in range(3)]
    assert names == ["MainThread", "└ worker", f"thread {OTHER}"]
    assert [model.holder_row(row) for row in range(-1, 4)] == [-1, -1, 0, -1, -1]
