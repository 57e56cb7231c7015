"""Who waited: by stack, by function, by lock, and by holder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.contention_talk import GIVER, OTHER_TAKER, TAKER, ContentionTalk, S
from harness.profiles import read_stacks
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.snapshot import ALL_WAITS, ContentionFilter
from stackglass_viewer.model.contention.stacks import stacks_of_capture
from stackglass_viewer.model.contention.table import (
    ContentionTable,
    Grouping,
    build_moment_table,
    build_profile_table,
)
from stackglass_viewer.model.profile.added_label import add_label
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import join_profiles
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
BLOCK, MUTEX = ContentionKind.BLOCK, ContentionKind.MUTEX
MS = 1_000_000


@pytest.fixture
def talk() -> ContentionTalk:
    """Two stacks wait for m.LOCK, one of them for another lock too; m.give held both up."""
    made = ContentionTalk()
    made.define(
        (0, 1, TAKER, 0),
        (0, 2, TAKER, 0),
        (0, 1, OTHER_TAKER, 0),
        (1, 1, GIVER, 0),
        (2, 1, GIVER, TAKER),
        (2, 1, GIVER, OTHER_TAKER),
        (2, 2, GIVER, TAKER),
    )
    made.delays((0, 20, 2), (1, 23, 1), (2, 24, 1), (3, 24, 1))
    made.sums(
        10,
        (0, 2, 3 * MS, 2 * MS),
        (1, 1, 9 * MS, 9 * MS),
        (2, 1, 20 * MS, 20 * MS),
        (3, 1, 23 * MS, 23 * MS),
        (4, 2, 3 * MS, 2 * MS),
        (5, 1, 20 * MS, 20 * MS),
        (6, 1, 8 * MS, 8 * MS),
    )
    return made


def build(
    talk: ContentionTalk,
    kind: ContentionKind = BLOCK,
    grouping: Grouping = "stacks",
    wanted: ContentionFilter = ALL_WAITS,
    is_by_delay: bool = True,
    span_ns: int | None = None,
) -> ContentionTable:
    moment = talk.live.capture_contention(span_ns=span_ns, has_delays=True)
    return build_moment_table(moment, kind, wanted, grouping, is_by_delay)


def test_a_stack_is_named_by_who_called_the_primitive(talk: ContentionTalk) -> None:
    table = build(talk)
    assert table.name == ("m.other", "m.take")
    assert table.line.tolist() == [50, 31]
    assert table.what == ("_thread.lock.acquire",) * 2
    assert table.lock == ("m.LOCK", "2 locks")
    assert table.count.tolist() == [1, 3]
    assert table.total_ns.tolist() == [20 * MS, 12 * MS]
    assert table.max_ns.tolist() == [20 * MS, 9 * MS]
    assert not table.is_bound.any()
    assert (table.total_count, table.total_delay_ns, table.wall_ns) == (4, 32 * MS, 10 * S)
    assert [line.function for line in table.list_stack(1)] == ["_thread.lock.acquire", "m.take"]


def test_by_lock_and_by_count(talk: ContentionTalk) -> None:
    table = build(talk, grouping="locks", is_by_delay=False)
    assert table.name == ("m.LOCK", "Lock 0x2000")
    assert (table.file[0], table.line[0]) == ("m.py", 3)
    assert table.count.tolist() == [3, 1]
    assert table.n_stacks.tolist() == [2, 1]
    assert table.stack.tolist() == [TAKER, TAKER]  # with most by count


def test_by_function_and_one_lock(talk: ContentionTalk) -> None:
    table = build(talk, grouping="functions", wanted=ContentionFilter(lock=1))
    assert (table.name, table.total_ns.tolist()) == (("m.other", "m.take"), [20 * MS, 3 * MS])
    assert table.file == ("m.py", "m.py")
    assert table.lock == ("m.LOCK", "m.LOCK")


def test_waits_by_size(talk: ContentionTalk) -> None:
    table = build(talk)
    one, every = table.find_delays(1), table.find_delays(-1)
    assert one is not None
    assert every is not None
    assert (one.first_class, one.counts.tolist()) == (20, [2, 0, 0, 1])
    assert (every.first_class, every.counts.tolist()) == (20, [2, 0, 0, 1, 1])


def test_the_longest_is_a_bound_where_only_its_size_is_known(talk: ContentionTalk) -> None:
    talk.live.clear()
    talk.delays((0, 20, 4), (2, 25, 1))
    talk.sums(11, (0, 4, 6 * MS, 2 * MS), (2, 2, 60 * MS, 40 * MS))
    table = build(talk)
    assert table.name == ("m.other", "m.take")
    assert table.max_ns.tolist() == [40 * MS, 1 << 21]
    assert table.is_bound.tolist() == [False, True]
    talk.sums(12, (0, 4, 3 * MS + MS // 2, 2 * MS))  # half a millisecond in all
    assert build(talk).max_ns.tolist() == [40 * MS, MS // 2]


@pytest.mark.parametrize("grouping", ["stacks", "functions"])
def test_who_held_up_whom_both_ways(talk: ContentionTalk, grouping: Grouping) -> None:
    waited = build(talk, BLOCK, grouping)
    (held,) = waited.pairs.list_sides(waited.name.index("m.take"), 9)
    assert (held.line.function, held.line.number) == ("m.give", 7)
    assert (held.stack, held.count, held.total_ns) == (GIVER, 3, 11 * MS)
    released = build(talk, MUTEX, grouping)
    waiters = released.pairs.list_sides(0, 9)
    assert [(each.line.function, each.total_ns) for each in waiters] == [
        ("m.other", 20 * MS),
        ("m.take", 11 * MS),
    ]
    assert len(released.pairs.list_sides(0, 1)) == 1
    assert released.pairs.list_sides(5, 1) == []


def test_pairs_of_one_lock(talk: ContentionTalk) -> None:
    by_lock = build(talk, BLOCK, "locks")
    row = by_lock.name.index("Lock 0x2000")
    assert [each.total_ns for each in by_lock.pairs.list_sides(row, 9)] == [8 * MS]


def test_a_task_is_named_by_who_called_into_asyncio(talk: ContentionTalk) -> None:
    talk.define((5, 1, TAKER, 0))
    talk.sums(11, (7, 1, MS, MS))
    assert build(talk, ContentionKind.TASK).name == ("_thread.lock.acquire",)  # as it ends
    stacks = stacks_of_capture(talk.live.list_definitions())
    lines = stacks.find_outside(np.array([TAKER, GIVER, 1, 0], dtype=np.int32), "_thread.")
    assert [stacks.names.name_line(line).function for line in lines.tolist()] == [
        "m.take",
        "m.give",
        "m.take",
        "<unknown>",
    ]


def test_nothing_waited(talk: ContentionTalk) -> None:
    for grouping in ("stacks", "functions", "locks"):
        table = build(talk, ContentionKind.GIL, grouping)
        assert len(table) == 0
        assert table.find_delays(-1) is not None


def test_a_file_has_no_longest_and_no_sizes(tmp_path: Path) -> None:
    profile = read_stacks(
        """
        main.main;main.serve;sync.(*Mutex).Unlock 3
        main.main;main.flush;sync.(*Mutex).Unlock 5
        runtime.goexit 2
        """,
        tmp_path,
    )
    table = build_profile_table(profile, (0, 1), "functions", True)
    assert table.name == ("main.flush", "main.serve", "runtime.goexit")
    assert table.what == ("sync.(*Mutex).Unlock",) * 2 + ("",)
    assert table.max_ns.tolist() == [-1, -1, -1]
    assert table.find_delays(0) is None
    assert table.lock == ("", "", "")
    assert [line.function for line in table.list_stack(0)][-1] == "main.main"


def test_samples_of_a_file_that_differ_in_labels_are_one_row(tmp_path: Path) -> None:
    """A server that names its tasks Task-1, Task-2, … has one row, not one for each."""
    text = """
        main.main;main.serve;sync.(*Mutex).Unlock 3
        main.main;main.flush;sync.(*Mutex).Unlock 5
        """
    one = read_stacks(text, tmp_path)
    profile = join_profiles([add_label(one, "task", f"Task-{n}") for n in range(1, 5)])
    assert profile.n_samples == 8
    table = build_profile_table(profile, (0, 1), "stacks", True)
    assert (table.name, table.total_ns.tolist()) == (("main.flush", "main.serve"), [20, 12])
    assert table.n_stacks.tolist() == [1, 1]
    assert [line.function for line in table.list_stack(1)][-1] == "main.main"


def test_a_mutex_profile_of_go() -> None:
    """Its leaves are inlined into their callers, which are who kept others waiting."""
    profile = open_profile(CORPUS / "go.http.mutex.delta1s.pb.gz")
    assert isinstance(profile, Profile)
    assert [each.name for each in profile.sample_types] == ["contentions", "delay"]
    table = build_profile_table(profile, (0, 1), "functions", True)
    assert table.total_delay_ns == profile.samples.values[1].sum() > 0
    assert not any(name.startswith(("sync.", "runtime.unlock")) for name in table.name[:1])
    assert table.wall_ns == profile.duration_ns
