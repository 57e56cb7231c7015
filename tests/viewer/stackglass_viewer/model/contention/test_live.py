"""A session's contention: what the engine reported, in any span, of any threads."""

from __future__ import annotations

import pytest

from harness.contention_talk import (
    GIVER,
    MAIN,
    OTHER_TAKER,
    START_NS,
    TAKER,
    WORKER,
    ContentionTalk,
    S,
)
from stackglass.errors import WireError
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.buckets import ContentionColumn
from stackglass_viewer.model.contention.delay_cells import N_DELAYS
from stackglass_viewer.model.contention.snapshot import (
    ContentionFilter,
    ContentionMoment,
    sum_contention,
)
from stackglass_viewer.model.contention.wait_rate import sum_waiting
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import Contention, FromEngine

BLOCK, MUTEX = ContentionKind.BLOCK, ContentionKind.MUTEX
DELAY, COUNT = ContentionColumn.DELAY, ContentionColumn.COUNT


@pytest.fixture
def talk() -> ContentionTalk:
    """Bucket 0 and 1 waited, 2 released: 20 s, the last 10 of which are half of it."""
    made = ContentionTalk()
    made.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0), (1, 1, GIVER, 0))
    made.events((0, MAIN, 5.0, 2, 4 * S), (1, WORKER, 5.0, 1, S), (2, WORKER, 5.0, 2, 4 * S))
    made.delays((0, 30, 2), (1, 29, 1), (2, 30, 2))
    made.sums(6, (0, 2, 4 * S, 3 * S), (1, 1, S, S), (2, 2, 4 * S, 3 * S))
    made.events((0, WORKER, 15.0, 1, S))
    made.delays((0, 29, 1))
    made.sums(16, (0, 3, 5 * S, 3 * S))
    return made


def values(moment: ContentionMoment, column: ContentionColumn = DELAY) -> list[int]:
    talk: list[int] = moment.values.columns[column].tolist()
    return talk


def sizes(moment: ContentionMoment, bucket: int = 0) -> dict[int, int]:
    """How many of its waits are of which class."""
    cells = moment.values.delays
    assert cells is not None
    counted = zip(cells.cell.tolist(), cells.count.tolist(), strict=True)
    return {cell % N_DELAYS: n for cell, n in counted if cell // N_DELAYS == bucket and n}


def test_all_is_what_the_engine_has_summed_up(talk: ContentionTalk) -> None:
    moment = talk.live.capture_contention(has_delays=True)
    assert values(moment) == [5 * S, S, 4 * S]
    assert values(moment, COUNT) == [3, 1, 2]
    assert moment.values.max_ns.tolist() == [3 * S, S, 3 * S]
    assert sizes(moment) == {29: 1, 30: 2}
    assert moment.wall_ns == 16 * S


def test_a_span_has_what_ended_in_it(talk: ContentionTalk) -> None:
    moment = talk.live.capture_contention(span_ns=10 * S, has_delays=True)
    assert values(moment) == [S, 0, 0]
    assert values(moment, COUNT) == [1, 0, 0]
    assert sizes(moment) == {29: 1}
    assert sizes(moment, bucket=1) == {}
    assert moment.values.max_ns.tolist() == [S, -1, -1]  # the one wait that there was
    between = talk.live.capture_contention(between=(400, 600))
    assert values(between) == [4 * S, S, 4 * S]


def test_the_longest_of_a_span_is_known_if_all_long_waits_are_reported_one_by_one(
    talk: ContentionTalk,
) -> None:
    talk.events((0, MAIN, 20.0, 1, 3 * S // 2), (0, MAIN, 22.0, 1, 5 * S // 4))
    talk.delays((0, 30, 4), (0, 10, 7))
    talk.sums(23, (0, 12, 8 * S, 3 * S))
    moment = talk.live.capture_contention(span_ns=4 * S, has_delays=True)
    assert moment.values.max_ns.tolist() == [3 * S // 2, -1, -1]
    talk.events((0, MAIN, 24.0, 2, 3 * S))  # two in one
    talk.delays((0, 30, 6))
    talk.sums(25, (0, 14, 11 * S, 3 * S))
    moment = talk.live.capture_contention(span_ns=4 * S, has_delays=True)
    assert moment.values.max_ns.tolist() == [-1, -1, -1]


def test_the_longest_is_not_of_a_span_that_it_ended_before(talk: ContentionTalk) -> None:
    talk.events((0, MAIN, 20.0, 1, 4 * S), (0, MAIN, 20.5, 1, S))
    talk.delays((0, 31, 1), (0, 29, 2))
    talk.sums(30.1, (0, 5, 10 * S, 4 * S))  # reported within the last 10 s, waited before
    moment = talk.live.capture_contention(span_ns=10 * S, has_delays=True)
    assert values(moment)[0] == S
    assert moment.values.max_ns[0] == -1


def test_threads_are_distinguished_by_when_it_happened(talk: ContentionTalk) -> None:
    moment = talk.live.capture_contention(tids=frozenset({WORKER}), has_delays=True)
    assert values(moment) == [S, S, 4 * S]
    assert moment.values.delays is None


def test_clear_begins_anew(talk: ContentionTalk) -> None:
    talk.live.clear()
    assert values(talk.live.capture_contention()) == [0, 0, 0]
    talk.delays((0, 29, 2))
    talk.sums(17, (0, 4, 6 * S, 3 * S))
    moment = talk.live.capture_contention(has_delays=True)
    assert values(moment) == [S, 0, 0]
    assert moment.values.max_ns.tolist() == [-1, -1, -1]
    assert [sizes(moment, bucket) for bucket in range(3)] == [{29: 1}, {}, {}]


def test_who_joins_late_counts_from_then_on() -> None:
    talk = ContentionTalk(connected_mono_ns=START_NS + 100 * S)
    talk.define((0, 1, TAKER, 0))
    talk.delays((0, 29, 7))
    talk.sums(100, (0, 7, 7 * S, S))
    talk.delays((0, 29, 8))
    talk.sums(101, (0, 8, 8 * S, S))
    for span_ns in (None, 10 * S):
        moment = talk.live.capture_contention(span_ns=span_ns, has_delays=True)
        assert sizes(moment) == {29: 1}
    assert values(talk.live.capture_contention()) == [S]


def test_values_stand_in_the_tree_by_kind_lock_and_primitive(talk: ContentionTalk) -> None:
    moment = talk.live.capture_contention()
    assert int(sum_contention(moment, BLOCK, DELAY).total[0]) == 6 * S
    assert int(sum_contention(moment, MUTEX, COUNT).total[0]) == 2
    for wanted, expected in (
        (ContentionFilter(lock=2), S),
        (ContentionFilter(lock=0), 0),
        (ContentionFilter(primitive="Lock.acquire"), 6 * S),
        (ContentionFilter(primitive="RLock.acquire"), 0),
    ):
        assert int(sum_contention(moment, BLOCK, DELAY, wanted).total[0]) == expected
    assert moment.list_kinds() == {BLOCK, MUTEX}


def test_locks_are_called_what_is_known_of_them(talk: ContentionTalk) -> None:
    locks = talk.live.capture_contention().locks
    assert [locks.describe(lock) for lock in range(4)] == ["", "m.LOCK", "Lock 0x2000", ""]
    only_waited = Contention(named_lock=[2], named_name=[0], named_site=[0], named_wait=[10])
    talk.live.apply(FromEngine(contention=only_waited))
    waited = talk.live.capture_contention().locks
    assert waited.describe(2) == "Lock waited for at m.py:3"
    assert waited.find_place(2) == ("m.py", 3)
    talk.live.apply(
        FromEngine(contention=Contention(named_lock=[2], named_name=[0], named_site=[10]))
    )
    made = talk.live.capture_contention().locks
    assert made.describe(2) == "Lock made at m.py:3"
    assert made.explain(2) == "unnamed Lock\nCreated at m.py:3\nAt 0x2000"
    assert made.explain(1) == "m.LOCK (Lock)\nCreated at m.py:3\nAt 0x1000"
    assert made.explain(0) == ""
    assert made.find_place(0) == ("", 0)
    assert locks.describe(2) == "Lock 0x2000"
    talk.live.apply(FromEngine(contention=Contention(lock_primitive=[8], lock_address=[0])))
    talk.live.apply(
        FromEngine(contention=Contention(named_lock=[3], named_name=[0], named_site=[10]))
    )
    many = talk.live.capture_contention().locks
    assert many.describe(3) == "other Locks made at m.py:3"
    assert many.explain(3) == "Locks created at m.py:3,\nexcept those listed individually"


def test_waiting_is_drawn_where_it_was_waited(talk: ContentionTalk) -> None:
    series = sum_waiting(talk.live.capture_contention(), BLOCK, ContentionFilter())
    drawn = {second: round(value, 2) for second, value in enumerate(series.values) if value > 0.05}
    # until 5.01 s: 4 s by one thread, 1 s by another; until 15.01 s: 1 s
    assert drawn == {1: 0.99, 2: 1.0, 3: 1.0, 4: 1.99, 14: 0.99}
    held = sum_waiting(talk.live.capture_contention(), MUTEX, ContentionFilter())
    assert held.values.nonzero()[0].tolist() == [5]
    assert series.end_s == 16


def test_waiting_up_to_a_pause_has_no_later_wait(talk: ContentionTalk) -> None:
    """Not even the part of it before the pause, which was not known then."""
    moment = talk.live.capture_contention()
    paused = sum_waiting(moment, BLOCK, ContentionFilter(), until=600)
    whole = sum_waiting(moment, BLOCK, ContentionFilter())
    assert paused.end_s == 6
    assert paused.values.tolist() == whole.values[:6].tolist()
    assert sum_waiting(moment, BLOCK, ContentionFilter(), until=400).values.sum() == 0


def test_a_session_without_waits_has_none_of_any_size() -> None:
    assert sizes(ContentionTalk().live.capture_contention(has_delays=True)) == {}


@pytest.mark.parametrize(
    "message",
    [
        Contention(bucket_kind=[0]),
        Contention(
            bucket_kind=[0],
            bucket_primitive=[0],
            bucket_lock=[0],
            bucket_node=[99],
            bucket_other_node=[0],
        ),
        Contention(
            bucket_kind=[0],
            bucket_primitive=[0],
            bucket_lock=[9],
            bucket_node=[0],
            bucket_other_node=[0],
        ),
        Contention(
            bucket_kind=[0],
            bucket_primitive=[99],
            bucket_lock=[0],
            bucket_node=[0],
            bucket_other_node=[0],
        ),
        Contention(value_bucket=[9], value_count=[1], value_total_ns=[1], value_max_ns=[1]),
        Contention(value_bucket=[0], value_count=[2**63], value_total_ns=[1], value_max_ns=[1]),
        Contention(delay_bucket=[0], delay_log2=[64], delay_count=[1]),
        Contention(
            event_bucket=[0], event_tid=[1], event_time=[2**31], event_count=[1], event_ns=[1]
        ),
        Contention(lock_primitive=[99], lock_address=[1]),
        Contention(named_lock=[99], named_name=[0], named_site=[0]),
        Contention(named_lock=[1], named_name=[0], named_site=[0], named_wait=[0, 0]),
        Contention(named_lock=[1], named_name=[0], named_site=[0], named_wait=[99]),
    ],
)
def test_what_makes_no_sense_is_refused(talk: ContentionTalk, message: Contention) -> None:
    live: LiveProfile = talk.live
    with pytest.raises(WireError):
        live.apply(FromEngine(contention=message))
