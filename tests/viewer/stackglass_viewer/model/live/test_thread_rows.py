"""All threads, tasks and greenlets as rows: what stands below what, folded and searched."""

from __future__ import annotations

from harness.thread_reports import make_greenlet, make_report, make_stack, make_task, make_thread
from stackglass.wire.thread_states import IDLE, NOT_BEGUN
from stackglass_viewer.model.live.thread_rows import NO_THREAD, NowRow, arrange_rows

POLL = make_stack("app.poll")


def list_names(rows: tuple[NowRow, ...]) -> list[str]:
    return ["  " * row.depth + row.name for row in rows]


REPORT = make_report(
    make_thread("worker", 102, state=IDLE),
    make_thread(task="main", task_id=9),
    *(make_task(f"Task-{at}", at, tid=100, stack=POLL) for at in range(2, 5)),
    make_task("mover", 7, tid=100, wait="asyncio.Lock.acquire"),
    make_greenlet("mail", 20, tid=102, wait="socket.recv"),
    make_greenlet("later", 21, tid=0, stack=(), state=NOT_BEGUN),
)


def test_tasks_and_greenlets_stand_below_their_thread_equal_ones_together() -> None:
    rows = arrange_rows(REPORT, frozenset())
    assert list_names(rows) == [
        "MainThread, runs task main",
        "  mover",
        "  Task-2 and 2 more",
        "worker",
        "  mail",
        NO_THREAD,
        "  later",
    ]
    assert [row.is_open for row in rows] == [True, None, False, True, None, True, None]
    assert [row.kind for row in rows[1:5]] == ["task", "task", "thread", "greenlet"]
    assert (rows[4].wait, rows[6].state) == ("socket.recv", NOT_BEGUN)
    assert rows[2].stack == POLL


def test_rows_are_folded_and_opened() -> None:
    rows = arrange_rows(REPORT, frozenset())
    toggled = frozenset((rows[2].key, rows[3].key))
    assert list_names(arrange_rows(REPORT, toggled)) == [
        "MainThread, runs task main",
        "  mover",
        "  Task-2 and 2 more",
        "    Task-2",
        "    Task-3",
        "    Task-4",
        "worker",
        NO_THREAD,
        "  later",
    ]
    alone = arrange_rows(make_report(make_thread()), frozenset({("thread", 100)}))
    assert [row.is_open for row in alone] == [None]


def test_a_search_finds_names_states_waits_and_functions() -> None:
    def find(text: str) -> list[str]:
        return list_names(arrange_rows(REPORT, frozenset({("thread", 102)}), text))

    assert find("MAIL") == ["worker", "  mail"]
    assert find("socket.") == ["worker", "  mail"]
    assert find("not begun") == [NO_THREAD, "  later"]
    assert find("app.poll") == ["MainThread, runs task main", "  mover", "  Task-2 and 2 more"]
    assert find("worker") == ["worker"]
    assert find("nothing of the kind") == []


def test_tasks_of_several_creators_are_several_rows() -> None:
    serve, poll = make_stack("asyncio.tasks.create_task", "app.serve"), make_stack("app.start_poll")
    tasks = [
        *(make_task(f"Task-{at}", at, tid=100, creation=serve) for at in range(1, 4)),
        make_task("Task-8", 8, tid=100, creation=poll, waited_ns=7),
        make_task("Task-9", 9, tid=100, creation=poll, waited_ns=5),
        make_task("first", 10, tid=100, is_older=True),
    ]
    thread = make_thread(creation=serve)
    rows = arrange_rows(make_report(thread, *tasks), frozenset())
    assert [(row.name, row.creator, row.waited_ns) for row in rows[1:]] == [
        ("Task-1 and 2 more", "app.serve", -1),
        ("Task-8 and 1 more", "app.start_poll", 7),
        ("first", "before attach", -1),
    ]
    assert rows[0].creator == "app.serve"
    found = arrange_rows(make_report(thread, *tasks), frozenset(), "start_poll")
    assert list_names(found)[1:] == ["  Task-8 and 1 more"]


def test_thousands_of_equal_ones_are_counted() -> None:
    tasks = [make_task(f"Task-{at}", at, tid=100) for at in range(1, 1001)]
    report = make_report(make_thread(), *tasks)
    (_, group) = arrange_rows(report, frozenset())
    rows = arrange_rows(report, frozenset({group.key}))
    assert len(rows) == 2 + 500 + 1
    assert rows[-1].name == "500 more"


def test_threads_keep_their_places() -> None:
    threads = [make_thread(name, tid) for name, tid in (("b", 103), ("a", 102), ("main", 100))]
    assert list_names(arrange_rows(make_report(*threads), frozenset())) == ["main", "a", "b"]
