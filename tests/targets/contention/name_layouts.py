"""One graph of objects in many layouts: the names of its locks are the same in all.

A layout is an order in which the objects are made, what lies between them in memory, the
generations of the collector that they are in, how large the search's slices are, and which
collections run between those.
"""

import collections
import gc
import queue
import random
import sys
import threading

from contention import PRIMITIVES, Contention, core, report

ACQUIRE = PRIMITIVES["Lock.acquire"]
N_LAYOUTS = 20
N_TOGETHER = 10  # layouts in a session, which has 8192 numbers for locks
N_MANY = 66  # more items than a search takes of one container
N_CONDITIONS = 150  # more objects than it follows from one lock, of so many
N_CROWD = 1100  # more than from the only one


class Shard:
    def __init__(self, lock=None):
        self.lock = lock or threading.Lock()


class Member(Shard):
    pass


class Store:
    pass


def make_shards():
    store = Store()
    store.shards = collections.deque([Shard(), Shard()])
    store.by_name = {f"k{i}": Shard() for i in range(N_MANY)}
    locks = {"shard": store.shards[1].lock}
    locks.update((f"many {key}", shard.lock) for key, shard in store.by_name.items())
    return store, locks


def make_events():
    events = collections.OrderedDict(eu=threading.Event())
    return events, {"event": events["eu"]._cond._lock}


def make_jobs():
    jobs = [queue.Queue()]
    return jobs, {"queue": jobs[0].mutex}


def make_hidden_queue():
    hidden = queue.Queue()
    return iter([hidden]), {"wrapped": hidden.mutex}


def make_crowd():
    members = [Member()]
    members.extend(Member(members[0].lock) for _ in range(N_CROWD))
    return members, {"crowd": members[0].lock}


def make_set():
    locks = {f"member {i}": threading.Lock() for i in range(N_MANY)}
    few = {threading.Lock()}
    return (set(locks.values()), few), {"few": next(iter(few)), **locks}


def make_conditions():
    """Make conditions of which one has a name, but which are too many for the search."""
    lock = threading.Lock()
    conditions = [threading.Condition(lock) for _ in range(N_CONDITIONS)]
    named = conditions.pop(random.randrange(N_CONDITIONS))
    named.others = iter(conditions)
    return named, {"conditions": lock}


def make_classes():
    """Make attributes of two classes and of their instances, and items of such attributes."""
    classes, item, lock = [], threading.Lock(), threading.Lock()
    for name in random.sample(("Alpha", "Gamma"), 2):
        cls = type(name, (), {"shared": lock, "table": {"x": item}})
        cls.__module__ = __name__
        classes.append(cls)
    first, second = (cls() for cls in classes)
    first.lock = second.lock = threading.Lock()
    hidden = iter([first, second])
    return hidden, {"classes": lock, "tables": item, "instances": first.lock}


def make_tuples():
    """Make tuples in a set."""
    lock = threading.Lock()
    return {(lock, 1), (2, lock)}, {"tuples": lock}


def make_nested():
    lock = threading.Lock()
    nested = [[lock], (lock, 1), {"x": lock}]
    return nested, {"nested": lock}


def make_paired():
    """Make objects that only tuples refer to, which a collection may untrack."""
    lock = threading.Lock()
    return (1, (2, (lock, 3))), {"paired": lock}


def make_closures():
    def first():
        return lock

    def second():
        return lock

    lock = threading.Lock()
    return random.sample([first, second], 2), {"closures": lock}


MAKERS = (
    *(make_shards, make_events, make_jobs, make_hidden_queue, make_crowd, make_set, make_classes),
    *(make_conditions, make_nested, make_tuples, make_paired, make_closures),
)


def make_junk():
    junk = [[object()] * random.randrange(300) for _ in range(random.randrange(200))]
    junk += [set(range(random.randrange(100))) for _ in range(random.randrange(100))]
    if random.random() < 0.3:
        gc.collect(random.randrange(3))
    elif random.random() < 0.1:
        gc.freeze()
        gc.unfreeze()
    return junk


def build():
    """Build everything in a random order, but in one order in the module's dictionary."""
    made, locks, junk = {}, {}, []
    for make in random.sample(MAKERS, len(MAKERS)):
        junk.append(make_junk())
        made[make.__name__], its_locks = make()
        locks.update((key, id(lock)) for key, lock in its_locks.items())
    for make in MAKERS:
        globals()[make.__name__.replace("make", "the")] = made[make.__name__]
    return locks, junk


def search():
    max_steps = random.choice((200, 1000, 10_000))
    n_slices = 1
    while core.lock_names_go_on(10**9, max_steps):
        n_slices += 1
        rubbish = [[] for _ in range(20)]
        if random.random() < 0.1:
            gc.collect(random.randrange(3))
        assert n_slices < 100_000
        del rubbish


def name_layout():
    addresses, junk = build()
    numbers = {key: core.contention_lock(address, ACQUIRE) for key, address in addresses.items()}
    search()
    names = {key: core.lock_name(number) for key, number in numbers.items()}
    for address in addresses.values():
        core.contention_lock_died(address)
    for make in MAKERS:
        del globals()[make.__name__.replace("make", "the")]
    del junk
    return names


random.seed(int(sys.argv[2]))
found = collections.defaultdict(collections.Counter)
for _ in range(N_LAYOUTS // N_TOGETHER):
    with Contention():
        for _ in range(N_TOGETHER):
            for key, name in name_layout().items():
                found[key][name] += 1
    core.lock_names_forget()
report(n=N_LAYOUTS, names=found)
