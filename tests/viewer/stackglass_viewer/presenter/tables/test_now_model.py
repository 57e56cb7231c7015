"""The table of all threads, tasks and greenlets."""

from __future__ import annotations

from PySide6.QtTest import QAbstractItemModelTester

from harness.thread_reports import make_greenlet, make_report, make_stack, make_task, make_thread
from stackglass.threads.report import Report
from stackglass.wire.thread_states import NOT_BEGUN
from stackglass_viewer.presenter.tables.now_model import NowField, NowModel

S = 10**9


def make_model() -> NowModel:
    made = NowModel()
    for each in (made, made.stack):
        tester = QAbstractItemModelTester(each, QAbstractItemModelTester.FailureReportingMode.Fatal)
        tester.setParent(each)
    return made


def list_names(model: NowModel) -> list[str]:
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def make_moment() -> Report:
    tasks = (make_task(f"Task-{at}", at, tid=100) for at in range(3))
    later = make_greenlet("later", 9, tid=0, stack=(), state=NOT_BEGUN)
    waiter = make_thread("waiter", 101, waited_ns=2 * S, is_at_least=True, wait="Lock.acquire")
    return make_report(make_thread(), waiter, *tasks, later)


def test_what_it_shows_and_how_it_is_folded() -> None:
    said: list[str] = []
    model = make_model()
    model.summary_changed.connect(said.append)
    model.set_report(make_moment())
    assert said[-1] == "2 threads, 3 tasks, 1 greenlet (1 not begun) now"
    names = ["▾ MainThread", "    ▸ Task-0 and 2 more", "waiter", "▾ no known thread"]
    assert list_names(model) == [*names, "    later"]
    waited = model.cell(2, list(NowField).index(NowField.WAITED))
    assert waited is not None
    assert (waited.value, waited.is_above) == (2 * S, True)
    model.toggle(1)
    assert list_names(model)[1:4] == ["    ▾ Task-0 and 2 more", "        Task-0", "        Task-1"]
    model.toggle(0)
    assert list_names(model) == ["▸ MainThread", "waiter", "▾ no known thread", "    later"]
    model.toggle(1)  # nothing stands below it
    assert len(list_names(model)) == 4


def test_creators_and_waits_of_tasks_have_columns() -> None:
    model = make_model()
    task = make_task("poll", tid=100, creation=make_stack("app.serve"), waited_ns=3 * S)
    model.set_report(make_report(make_thread(is_older=True), task))
    fields = list(NowField)
    creators = [model.index(row, fields.index(NowField.CREATOR)).data() for row in range(2)]
    assert creators == ["before attach", "app.serve"]
    waited = model.cell(1, fields.index(NowField.WAITED))
    assert waited is not None
    assert waited.value == 3 * S


def test_the_chosen_row_stays_chosen_with_its_stack() -> None:
    model = make_model()
    model.set_report(make_moment())
    model.choose(2)
    assert model.stack.name_at(0) == "app.work"
    moved = make_thread("waiter", 101, stack=make_stack("app.rest"))
    model.set_report(make_report(make_thread(), moved, make_thread("earlier", 102)))
    assert list_names(model) == ["MainThread", "earlier", "waiter"]
    assert model.stack.name_at(0) == "app.rest"
    model.set_report(None)
    assert (model.rowCount(), model.stack.rowCount(), model.has_answer) == (0, 0, False)


def test_a_search_hides_the_others_until_it_is_empty() -> None:
    model = make_model()
    model.set_report(make_moment())
    model.set_search("waiter")
    assert list_names(model) == ["waiter"]
    model.set_search("")
    assert model.rowCount() == 5


def test_a_thread_that_a_search_keeps_open_is_not_folded_after_it() -> None:
    model = make_model()
    model.set_report(make_moment())
    before = list_names(model)
    model.set_search("task-")
    model.toggle(0)
    model.set_search("")
    assert list_names(model) == before


def test_a_search_says_how_many_of_all_it_lists() -> None:
    said: list[str] = []
    model = make_model()
    model.summary_changed.connect(said.append)
    model.set_report(make_moment())
    model.set_search("waiter")
    assert said[-1] == "1 of 2 threads, 0 of 3 tasks, 0 of 1 greenlet now"
    model.set_search("task-")  # also the thread above them
    assert said[-1] == "1 of 2 threads, 3 of 3 tasks, 0 of 1 greenlet now"
    model.toggle(1)  # members that have rows of their own are counted once
    assert model.rowCount() == 5
    assert said[-1] == "1 of 2 threads, 3 of 3 tasks, 0 of 1 greenlet now"
    model.set_search("no such text")
    assert model.rowCount() == 0
    assert said[-1] == "0 of 2 threads, 0 of 3 tasks, 0 of 1 greenlet now"
    model.set_search("")
    assert said[-1] == "2 threads, 3 tasks, 1 greenlet (1 not begun) now"


def test_several_steps_are_said_to_be_so() -> None:
    said: list[str] = []
    model = make_model()
    model.summary_changed.connect(said.append)
    model.set_report(make_report(make_thread(), n_slices=3))
    assert said[-1] == "1 thread, read in 3 steps"
