"""The table of recent stacks and the log behind it, one sample at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from native import _core_testing as core

Stack = tuple[tuple[int, int], ...]
LOST = 1
STACK: Stack = ((100, 2), (101, 4), (102, 6))


@pytest.fixture(autouse=True)
def _tables() -> Iterator[None]:
    assert core.cpu_prepare() is None
    core.recent_fit(10_000)
    drain()
    yield
    drain()
    core.log_limit(1 << 30)
    core.cpu_unprepare()


def drain() -> list[core.Sample]:
    return core.recent_drain() + core.log_drain()


def add(stack: Stack = STACK, *, tid: int = 1, labels: int = 0, time: int = 0, n: int = 1) -> None:
    core.recent_add(tid, labels, time, n, 1000 * n, stack)


def find_stacks_of_one_set(n: int) -> list[Stack]:
    """Distinct stacks that the table keeps in the same set."""
    by_set: dict[int, list[Stack]] = {}
    for code in range(1000, 100_000):
        stack = ((code, 0),)
        found = by_set.setdefault(core.recent_set_of(1, 0, 0, 1, 0, stack), [])
        found.append(stack)
        if len(found) == n:
            return found
    raise AssertionError("no set is met often enough")


@pytest.mark.checklist(22)
def test_equal_samples_meet() -> None:
    """Checklist 22."""
    add(n=10)
    add(n=10)
    assert drain() == [(1, 0, 0, 20, 20_000, STACK)]


def test_at_a_low_rate_samples_go_to_the_log() -> None:
    """There no two are of one unit of time, and the log costs a handler less."""
    core.recent_fit(100)
    add(n=10)
    add(n=10)
    assert core.recent_drain() == []
    assert core.log_drain() == [(1, 0, 0, 10, 10_000, STACK)] * 2


def test_a_change_of_the_rate_loses_nothing() -> None:
    for n, hz in enumerate((10_000, 1000, 100, 1000, 10_000), 1):
        core.recent_fit(hz)
        for code in range(1000, 1100):
            add(((code, 0),), n=n)
    assert sum(sample[3] for sample in drain()) == 100 * (1 + 2 + 3 + 4 + 5)
    assert drain() == []


@pytest.mark.checklist(23)
@pytest.mark.parametrize("other", [{"tid": 2}, {"labels": 1}, {"time": 1}])
def test_what_distinguishes_equal_stacks(other: dict[str, int]) -> None:
    """Checklist 23: labels; and so do thread and time."""
    add()
    add(**other)  # type: ignore[arg-type]  # each of these is an int
    assert len(drain()) == 2


@pytest.mark.checklist(20)
def test_20_empty_stack() -> None:
    add(())
    assert drain() == [(1, 0, 0, 1, 1000, ())]


@pytest.mark.checklist(36)
def test_36_fifth_stack_of_a_set_evicts_the_least_counted() -> None:
    *four, fifth = find_stacks_of_one_set(5)
    for count, stack in zip((3, 1, 2, 4), four, strict=True):
        add(stack, n=count)
    add(fifth)
    assert [sample[5] for sample in core.log_drain()] == [four[1]]
    assert {sample[5]: sample[3] for sample in core.recent_drain()} == {
        four[0]: 3,
        four[2]: 2,
        four[3]: 4,
        fifth: 1,
    }


def test_a_claimed_set_is_not_waited_for() -> None:
    """DESIGN, decision 6."""
    claimed = core.recent_set_of(1, 0, 0, 1, 0, STACK)
    add()
    core.recent_claim(claimed, True)
    add()
    assert core.recent_drain() == []
    assert [sample[3] for sample in core.log_drain()] == [1]
    core.recent_claim(claimed, False)
    assert [sample[3] for sample in core.recent_drain()] == [1]


def test_a_stack_too_deep_for_a_way_goes_to_the_log() -> None:
    deep = tuple((200 + i, 0) for i in range(113))
    add(deep)
    assert core.recent_drain() == []
    assert [sample[5] for sample in core.log_drain()] == [deep]
    add(deep[:112])
    assert [sample[5] for sample in core.recent_drain()] == [deep[:112]]


def test_the_halves_turn() -> None:
    deep = tuple((200 + i, 0) for i in range(200))
    for i in range(5):
        add(deep, time=i)
        assert [sample[2] for sample in core.log_drain()] == [i]
    assert core.log_drain() == []


@pytest.mark.checklist(24)
def test_a_lost_record_counts_for_all_that_it_stood_for() -> None:
    """Checklist 24."""
    assert core.cpu_start(0, 0, 0) is None
    try:
        core.log_limit(1)
        add(tuple((200 + i, 0) for i in range(200)), n=5)
        assert [(s[3], s[5]) for s in core.cpu_drain()] == [(5, ((LOST, -1),))]
        assert core.cpu_status()["n_lost"] == 5
    finally:
        core.cpu_stop()
        core.cpu_drain()


def test_cpu_time_of_losses_is_reported_once() -> None:
    """In each drain as much was lost as was stored, so both get the same CPU time each time."""
    raw_ns = 10**9
    assert core.cpu_start(1, 0, 0) is None  # hardly a tick, but CPU time to hand out
    try:
        for n in range(4):
            core.recent_add(1, 0, n, 1, raw_ns, STACK)
            core.log_lose(1, raw_ns)
            sum(range(200_000))
            times = {s[5]: s[4] for s in core.cpu_drain() if s[5] in (STACK, ((LOST, -1),))}
            assert times[STACK] > 1000
            assert times[(LOST, -1),] == pytest.approx(times[STACK], rel=0.01)
    finally:
        core.cpu_stop()
        core.cpu_drain()


def test_a_writer_that_comes_late_does_not_enter_the_half_that_is_read() -> None:
    """It has looked which half is active; the reader turns; then it enters."""
    half = core.log_active()
    assert core.log_turn()
    assert not core.log_try_enter(half)
    assert core.log_turn()  # the failed attempt left nothing behind
    assert core.log_try_enter(half)
    core.log_leave(half)


def test_a_half_is_not_read_while_a_writer_is_in_it() -> None:
    deep = tuple((200 + i, 0) for i in range(200))
    add(deep, time=1)
    half = core.log_active()
    assert core.log_try_enter(half)
    assert not core.log_turn()
    assert core.log_drain() == []
    add(deep, time=2)  # goes to the other half, and waits there
    core.log_leave(half)
    assert [sample[2] for sample in core.log_drain()] == [1]
    assert [sample[2] for sample in core.log_drain()] == [2]


def test_a_handler_that_outlives_its_session_does_not_stop_the_log() -> None:
    """A detach waits a tenth of a second for handlers; one that gets no processor comes later."""
    deep = tuple((200 + i, 0) for i in range(200))
    add(deep, time=1)
    half = core.log_active()
    assert core.log_try_enter(half)
    core.recent_and_log_clear()
    add(deep, time=2)
    assert drain() == []  # the half that would be read has the handler in it
    add(deep, time=3)
    core.log_leave(half)
    assert [sample[2] for sample in drain() + drain()] == [2, 3]


def test_a_set_that_a_handler_claims_stays_claimed_in_the_next_session() -> None:
    claimed = core.recent_set_of(1, 0, 0, 1, 0, STACK)
    core.recent_claim(claimed, True)
    core.recent_and_log_clear()
    add()
    assert core.recent_drain() == []
    core.recent_claim(claimed, False)
    assert [sample[5] for sample in core.log_drain()] == [STACK]


def test_samples_of_the_session_before_are_dropped() -> None:
    add()
    add(tuple((200 + i, 0) for i in range(200)))
    core.recent_and_log_clear()
    assert drain() + drain() == []


@pytest.mark.checklist(24, 25)
def test_24_losses_become_one_sample_of_their_own() -> None:
    """Checklist 24 and 25: samples + lost = ticks, whatever is lost and when."""
    assert core.cpu_start(0, 0, 0) is None
    try:
        core.log_limit(1)
        deep = tuple((200 + i, 0) for i in range(200))
        for i in range(4242):
            add(deep, time=i)
        add(n=7)
        samples = core.cpu_drain()
        assert {sample[5]: sample[3] for sample in samples} == {STACK: 7, ((LOST, -1),): 4242}
        status = core.cpu_status()
        assert (status["n_samples"], status["n_lost"]) == (7, 4242)
        add(deep)
    finally:
        core.cpu_stop()
    # Lost after the last drain but one: reported once, with the last.
    assert [(s[3], s[5]) for s in core.cpu_drain()] == [(1, ((LOST, -1),))]
    assert core.cpu_drain() == []
    assert core.pseudo_name(LOST) == "<lost samples>"
