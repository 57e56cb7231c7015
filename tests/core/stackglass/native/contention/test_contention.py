"""Contention's tables, driven by notes inside each Python that is present. Real locks are in
tests/conformance/test_contention_locks.py."""

from __future__ import annotations

import collections

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python
from native import _core_testing as core

BLOCK, MUTEX = 0, 1
ACQUIRE, RELEASE = "_thread.lock.acquire", "_thread.lock.release"


def test_every_primitive_has_a_name_and_a_frame() -> None:
    nothing, *primitives = core.contention_primitives()
    assert nothing[:2] == ("", "")
    names, _, frames, codes = zip(*primitives, strict=True)
    assert len(set(names)) == len(set(frames)) == len(set(codes)) == len(primitives)
    assert [core.pseudo_name(code) for code in codes] == list(frames)
    assert primitives[0][:3] == ("Lock.acquire", "Lock", ACQUIRE)


def test_notes_do_nothing_unless_prepared() -> None:
    core.contention_set_rates(1, 1, 1)
    core.contention_note_wait(BLOCK, 1, 0x1000, 10)
    core.contention_note_mutex(3, 0x1000, [(0, 10)])
    core.contention_note_gil(1, [2], 1, 10)
    core.contention_lock_died(0x1000)
    assert core.contention_lock(0x1000, 1) == 0
    assert core.contention_read() == []
    assert core.contention_events() == []
    assert set(core.contention_status().values()) == {0}


@pytest.mark.checklist(64)
@pytest.mark.parametrize(
    ("total", "reported"), [(0.0, 1), (0.4, 1), (1.0, 1), (1.99, 1), (3.5, 3), (1e30, 2**64 - 1)]
)
def test_counts_are_truncated_and_never_zero(total: float, reported: int) -> None:
    """Checklist 64."""
    assert core.contention_whole(total) == reported


@pytest.mark.checklist(61, 62, 63, 64, 73, 74)
@some_pythons
def test_rates(python: Python) -> None:
    """Checklist 61 to 64, 73 and 74: with coins that fall the same every time."""
    reported = run_probe(python, "contention/estimates.py")
    long, brief = reported["bias"]["wait_long"], reported["bias"]["wait_briefly"]
    assert long == [10_000, 10_000_000, 1000, {"9": 10_000}]
    assert brief[0] == pytest.approx(100_000, rel=0.05)
    assert brief[1] == pytest.approx(long[1], rel=0.05)
    assert brief[2:] == [100, {"6": brief[0]}]
    # 5, 0, -3, 1, 2, 3 and 2**40 ns, where 0 and -3 are 1
    assert reported["exact"] == [
        *(7, 5 + 1 + 1 + 1 + 2 + 3 + 2**40, 2**40),
        {"0": 3, "1": 2, "2": 1, "40": 1},
    ]
    assert reported["off"]
    assert reported["wide"] == pytest.approx([4000, 4000 * 2**39], rel=0.05)
    assert reported["n_wide"] == pytest.approx(2000, rel=0.05)
    mutex, pairs = reported["fraction"]
    assert mutex == pytest.approx([10_000, 10_000 * 1000], rel=0.05)
    assert pairs == pytest.approx([20_000, 10_000 * 1000], rel=0.05)
    assert reported["unchanged"]
    assert reported["nobody_waited"]
    assert reported["block_off"] == [0, 0]
    block, other, task, stall = reported["kinds"]
    for kind in (block, other, task):
        assert kind == pytest.approx([1000, 1000], rel=0.3)
    assert stall == [1000, 1000]


@pytest.mark.checklist(59, 66, 85)
@each_python
def test_stacks_are_cut_down_to_the_outermost_primitive(python: Python) -> None:
    """Checklist 59, 66 and 85. A row is [kind, frames, has it a lock, count]."""
    reported = run_probe(python, "contention/trimming.py")
    assert reported["plain"] == [
        [BLOCK, [ACQUIRE, "wait_plainly"], True, 1],
        [MUTEX, [RELEASE, "hold_plainly"], True, 1],
    ]
    # Taking the lock that it sleeps on (noted here, as the lock itself cannot say), sleeping,
    # taking its condition's lock again: the last is no event of its own.
    wait = [BLOCK, ["wait", "wait_in_condition"], True, 2]
    assert reported["condition"] == [wait, [MUTEX, ["wait", "wait_in_condition"], True, 1]]
    assert reported["reentrant"] == [wait]
    assert reported["woken"] == []
    assert reported["queue"] == [
        [BLOCK, ["get", "wait_in_queue"], True, 1],  # for its mutex
        [BLOCK, ["get", "wait_in_queue"], True, 2],  # for an item: of the queue itself
        [MUTEX, ["get", "wait_in_queue"], True, 1],
    ]
    assert reported["semaphore"] == [[MUTEX, ["release", "hold_semaphore"], True, 1]]
    assert reported["deep"] == [
        [133, ACQUIRE, "go_down", "<module>"],
        [192, ACQUIRE, "go_down", "<truncated>"],
    ]
    assert reported["n_bad_walks"] == 0


@some_pythons
def test_a_module_that_is_still_loading_is_looked_at_again(python: Python) -> None:
    """A function that its body has not defined at the first look is a primitive at the next one."""
    reported = run_probe(python, "contention/loading.py")
    assert reported["before"] == [ACQUIRE, "wait", "wait_in_wait"]
    assert reported["after"] == ["wait", "wait_in_wait"]


@pytest.mark.checklist(68, 70, 77)
@each_python
def test_the_ledger(python: Python) -> None:
    """Checklist 68, 70 and 77: notes, losses, locks that come and go, both ends, the GIL's."""
    reported = run_probe(python, "contention/ledger.py")
    assert reported["noted"] == [[1, 1], 1]
    assert reported["overflow"] == [[614, 6140], 100]
    assert reported["lost"] == [[["<lost samples>"], 100, 1000]]
    assert reported["n_changed"] == [0, 0]
    assert reported["site"] == [65, [1000, 10_000], 64]
    assert reported["together"] == [1000 - 64]
    assert reported["all_dead"]
    assert reported["reborn"] == [65, 64, 0]
    assert reported["same"]
    assert reported["too_many"] == [0, 1 << 13]  # asked for by who looks at waits
    assert reported["for_others"] == (1 << 13) + 1  # who has waited gets numbers still
    assert reported["after_deferred_death"] == [1, 2]
    assert reported["mutex"] == [1, 750, [RELEASE, "release"]]
    assert reported["pairs"] == [
        [1, 400, True, [], True],
        [2, 350, True, [ACQUIRE, "<module>"], True],
    ]
    assert reported["events"] == [3, 4, True]
    assert reported["no_more_events"] == []
    assert reported["gil"] == [["<lost samples>", 1, 200, 200], ["wait", 2, 800, 300]]
    assert reported["gil_events"]
    assert reported["threads"] == [[16_000, 160_000], [16_000, 80_000], [16_000, 80_000]]
    assert reported["threads_lost"] == 0
    assert reported["child"] == 0
    assert reported["prepared"] == 1
    assert reported["tables"] == [True, 0]
    assert reported["after"] == []


def test_labels_of_buckets() -> None:
    """Of one stack each label set has a bucket, until the table is half full; of a pair both ends
    have theirs, but for the waiters beyond 255 of one lock."""
    reported = run_probe(NEWEST, "locks/labelled.py")
    assert reported["by_labels"] == [[0, 1], [3, 2], [4, 1]]
    assert reported["filled"] == [True, 4 + 40_000 - 1]
    assert sorted(reported["known"]) == [1, 2, 3]
    assert reported["others"] == [(1 << 16) - 1]
    assert reported["numbers"] == [1, 2]
    assert [2, 0] in reported["block"]
    assert [1, 0] in reported["mutex"]
    assert [1, 2] in reported["pair"]
    assert reported["256"] == [256, 256, 2]
    assert reported["257"] == [256, 255, 0]


@pytest.mark.checklist(25)
@pytest.mark.checklist(69)
@each_python
def test_nothing_stands_behind_a_short_stack(python: Python) -> None:
    """Checklist 69: short stacks after deep ones have their own frames to the root, and no more."""
    assert run_probe(python, "contention/depths.py") == {"wrong": [], "n": 8}


@each_python
def test_kept_depth_of_stacks(python: Python) -> None:
    """192 frames unless asked, 16 at least, 1024 at most; at once and by deferred records."""
    reported = run_probe(python, "contention/kept_depths.py")
    depths = [192, 192, 16, 16, 300, 300, 1024, 1024, 1024, 1024]
    assert reported["kept"] == [[[depth, "<truncated>", "descend"]] * 2 for depth in depths]
    assert reported["holders"] == [
        [191, "f190", "f189"],
        [192, "f191", "f190"],
        [192, "<truncated>", "f190"],
        [192, "<truncated>", "f190"],
    ]


@some_pythons
def test_a_lost_wait_counts_for_all_that_it_stood_for(python: Python) -> None:
    """As for samples: what is kept and what is lost add up, with the weight of each."""
    reported = run_probe(python, "contention/lost.py")
    n_lost, n_kept = reported["n_lost"], reported["n_kept"]
    assert 0 < n_lost < n_kept
    assert reported["lost"] == [n_lost * reported["weight"], n_lost * reported["each_ns"]]
    assert reported["all"] == [n_kept * reported["weight"], n_kept * reported["each_ns"]]


@each_python
def test_locks_have_names_that_people_know(python: Python) -> None:
    """By variable, attribute and item, through what the standard library wraps around them, in
    slices between which objects come and go."""
    reported = run_probe(python, "contention/names.py")
    assert reported["names"] == {
        "global": "__main__.CACHE_LOCK",
        "queue": "__main__.QUEUE.mutex",
        "simple": "__main__.SIMPLE",
        "event_inside": "__main__.EVENT._cond._lock",
        "reentrant": "__main__.REENTRANT",
        "module": "app.LOCK",
        "class": "__main__.Pool.shared",
        "instance": "__main__.Pool._lock",
        "nested": "__main__.Pool.items.mutex",
        "nested_event": "__main__.Pool.ready._cond._lock",
        "slot": "__main__.Small.lock",
        "dynamic": "__main__.Dynamic.last_lock",
        "derived": "__main__.SubLock.lock",
        "hidden": "__main__.hidden[0]",
        "closure": "__main__.close_over.<locals>.lock",
        "wrapped": "__main__.kept[0]._lock",
        "doomed": "",
        "later": "",
        "keyed": "__main__.keyed{…}",
        "paired": "__main__.paired[1][0]",
        "shard": "__main__.Store.shards[1].lock",
        "table": "__main__.Store.by_table['users']",
        "member": "__main__.Store.waiting{…}",
        "event": "__main__.by_city['eu']",
        "event_lock": "__main__.by_city['eu']._cond._lock",
        "queue_in_list": "__main__.jobs[0].mutex",
        "nested_closure": "deep in __main__.nest.<locals>.inner.<locals>.<lambda>",
        "local": "__main__.run_with.<locals>.local",
        "local_and_argument": "__main__.run_with.<locals>.handed_on",
        "deep_and_argument": "__main__.kept_deep[0][0][0]",
        "instance_and_argument": "__main__.Shard.lock",
        "argument": "__main__.starter._kwargs['lock']",
        "own_argument": "__main__.Worker._args[0]",
        "timer": "__main__.alarm.args[0]",
        "queue_argument": "__main__.queue_in_args._args[0].mutex",
        "alias": "__main__.ALIAS['x']",
        "attribute_and_closure": "__main__.Store.both",
    }
    assert reported["n_slices"] > 100
    assert reported["left"] == []
    assert reported["found_later"] == "app.LATER"
    assert reported["n_slices_again"] < 20
    assert reported["forgotten"]
    assert reported["dicts"] == [True, 101]
    crowd = {"__main__.Mixed.lock": 100, "__main__.Plain.lock": 1000}
    assert collections.Counter(reported["crowd"]) == crowd
    expected = [] if python.minor >= 11 else ["Plain"] * 1000
    assert reported["have_dictionaries"] == expected, "no name is worth a dictionary"
    assert reported["is_dictionary_seen"]


@each_python
def test_names_of_locks_do_not_depend_on_the_layout(python: Python) -> None:
    """Twenty layouts of one graph of objects, others for each Python: order, addresses,
    generations, slices, collections."""
    found = run_probe(python, "contention/name_layouts.py", python.minor)
    assert {key: names for key, names in found["names"].items() if len(names) > 1} == {}
    names = {key: next(iter(names)) for key, names in found["names"].items()}
    # Of one container 64 items are followed; of a set, which has no order, all or none.
    assert [names.pop(f"many k{i}") for i in range(66)] == [
        *(f"__main__.Store.by_name['k{i}'].lock" for i in range(64)),
        *("__main__.Shard.lock", "__main__.Shard.lock"),
    ]
    assert [names.pop(f"member {i}") for i in range(66)] == [""] * 66
    assert names == {
        "shard": "__main__.Store.shards[1].lock",
        "event": "__main__.the_events['eu']._cond._lock",
        "queue": "__main__.the_jobs[0].mutex",
        "wrapped": "queue.Queue.mutex",
        "crowd": "__main__.Member.lock",
        "conditions": "",
        "few": "__main__.the_set[1]{…}",
        "instances": "__main__.Alpha.lock",
        "classes": "__main__.Alpha.shared",
        "tables": "__main__.Alpha.table['x']",
        "tuples": "__main__.the_tuples{…}[0]",
        "nested": "__main__.the_nested[0][0]",
        "paired": "__main__.the_paired[1][1][0]",
        "closures": "__main__.make_closures.<locals>.lock",
    }
