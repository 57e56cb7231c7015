"""Names of locks: by variables, attributes and items, and through wrappers and containers."""

import collections
import ctypes
import gc
import queue
import sys
import threading
import types

from contention import PRIMITIVES, Contention, core, report

ACQUIRE, GET = PRIMITIVES["Lock.acquire"], PRIMITIVES["SimpleQueue.get"]


class Pool:
    shared = threading.Lock()

    def __init__(self):
        self._lock = threading.Lock()
        self.items = queue.Queue()
        self.ready = threading.Event()


class Small:
    __slots__ = ("lock", "other")

    def __init__(self):
        self.other = None
        self.lock = threading.RLock()


class Dynamic:
    """Has many attributes, some added late."""


class Plain:
    def __init__(self):
        self.before = {}
        self.lock = threading.Lock()


class Mixed:
    __slots__ = ("__dict__", "lock")

    def __init__(self):
        self.lock = threading.Lock()


class SubLock(dict):
    pass


CACHE_LOCK = threading.Lock()
QUEUE = queue.Queue()
SIMPLE = queue.SimpleQueue()
EVENT = threading.Event()
REENTRANT = threading.RLock()
app = types.ModuleType("app")
app.LOCK = threading.Lock()
sys.modules["app"] = app
pool, small, dynamic, derived = Pool(), Small(), Dynamic(), SubLock()
for i in range(100):
    setattr(dynamic, f"attribute_{i}", i)
dynamic.last_lock = threading.Lock()
derived.lock = threading.Lock()
hidden = [threading.Lock()]


def close_over():
    lock = threading.Lock()
    return lambda: lock


in_closure = close_over()


def keep_condition():
    condition = threading.Condition()
    return [condition]


kept = keep_condition()
doomed = threading.Lock()


def hide():
    lock = threading.Lock()
    return iter([lock]), id(lock)


class Shard:
    def __init__(self):
        self.lock = threading.Lock()


class Store:
    def __init__(self):
        self.shards = collections.deque([Shard(), Shard()])
        self.by_table = {"users": threading.Lock()}
        self.waiting = {threading.Lock()}


later, later_address = hide()
store = Store()
by_city = collections.OrderedDict(eu=threading.Event())
keyed = {threading.Lock(): 1}
paired = (1, (threading.Lock(), 2))
jobs = [queue.Queue()]


class Worker(threading.Thread):
    pass


# Several paths lead to these. The threads never run, and so keep their arguments.
kept_deep = [[[threading.Lock()]]]
branch = Shard()
starter = threading.Thread(args=(kept_deep[0][0][0], branch), kwargs={"lock": threading.Lock()})
worker = Worker(args=(threading.Lock(), kept_deep))
alarm = threading.Timer(1000, print, args=[threading.Lock()])
queue_in_args = threading.Thread(args=(queue.Queue(),))
store.aliased = ALIAS = {"x": threading.Lock()}


def hold_twice(lock):
    Store.both = lock
    return lambda: lock


in_both = hold_twice(threading.Lock())


def nest():
    def inner():
        return lambda: deep

    deep = threading.Lock()
    return inner()


in_nested = nest()


def run_with(local, handed_on):
    """Run with locks in local variables."""
    global waiter
    waiter = threading.Thread(args=(handed_on,))
    return name_all(local, handed_on)


LOCKS = {
    "global": CACHE_LOCK,
    "queue": QUEUE.mutex,
    "simple": SIMPLE,
    "event_inside": EVENT._cond._lock,
    "reentrant": REENTRANT,
    "module": app.LOCK,
    "class": Pool.shared,
    "instance": pool._lock,
    "nested": pool.items.mutex,
    "nested_event": pool.ready._cond._lock,
    "slot": small.lock,
    "dynamic": dynamic.last_lock,
    "derived": derived.lock,
    "hidden": hidden[0],
    "closure": in_closure(),
    "wrapped": kept[0]._lock,
    "doomed": doomed,
    "keyed": next(iter(keyed)),
    "paired": paired[1][0],
    "shard": store.shards[1].lock,
    "table": store.by_table["users"],
    "member": next(iter(store.waiting)),
    "event": by_city["eu"],
    "event_lock": by_city["eu"]._cond._lock,
    "queue_in_list": jobs[0].mutex,
    "nested_closure": in_nested(),
    "deep_and_argument": kept_deep[0][0][0],
    "instance_and_argument": branch.lock,
    "argument": starter._kwargs["lock"],
    "own_argument": worker._args[0],
    "timer": alarm.args[0],
    "queue_argument": queue_in_args._args[0].mutex,
    "alias": ALIAS["x"],
    "attribute_and_closure": in_both(),
}
ADDRESSES = {key: id(lock) for key, lock in LOCKS.items()}
LOCKS.clear()
ADDRESSES["later"] = later_address


def search(max_steps):
    """Search while garbage is made and collections run, a full one at least every 12 slices."""
    n_slices = 1
    while core.lock_names_go_on(10**9, max_steps):
        n_slices += 1
        rubbish = [[] for _ in range(20)]
        if n_slices % 4 == 0:
            gc.collect(n_slices // 4 % 3)
        assert n_slices < 100_000
        del rubbish
    return n_slices


facts = {}


def name_all(local, passed):
    ADDRESSES["local"] = id(local)
    ADDRESSES["local_and_argument"] = id(passed)
    for key, address in ADDRESSES.items():
        numbers[key] = core.contention_lock(address, ACQUIRE)
    core.contention_lock_died(id(doomed))
    return search(200)


numbers = {}
with Contention():
    facts["n_slices"] = run_with(threading.Lock(), threading.Lock())
    facts["names"] = {key: core.lock_name(number) for key, number in numbers.items()}
    facts["left"] = [
        type(item).__name__ for item in gc.get_objects() if type(item) is list and item == [[]]
    ]
    app.LATER = next(later)
    core.contention_lock(id(app), ACQUIRE)  # a new waiter: all without a name are looked for again
    search(10**9)
    facts["found_later"] = core.lock_name(numbers["later"])
    facts["n_slices_again"] = search(10**9)
    core.lock_names_forget()
    facts["forgotten"] = all(core.lock_name(number) == "" for number in numbers.values())


def has_dictionary(instance):
    """Return whether an instance has a dictionary, read in memory: `__dict__` would create it."""
    if sys.version_info < (3, 11):
        at = id(instance) + type(instance).__dictoffset__
        return ctypes.c_size_t.from_address(at).value != 0
    word = ctypes.c_size_t.from_address(id(instance) - 3 * 8).value
    is_values = sys.version_info[:2] == (3, 12) and word & 1
    return word != 0 and not is_values


# No variable has the list: the names are those of the classes. Before 3.11 the first attribute
# creates the dictionary.
crowd = iter([Mixed() for _ in range(100)] + [Plain() for _ in range(1000)])
with Contention():
    numbers = [
        core.contention_lock(id(instance.lock), ACQUIRE) for instance in gc.get_referents(crowd)[0]
    ]
    instance = None
    while core.lock_names_go_on(10**9, 10**9):
        pass
    facts["crowd"] = sorted(map(core.lock_name, numbers))
    core.lock_names_forget()
facts["have_dictionaries"] = [
    type(instance).__name__ for instance in gc.get_referents(crowd)[0] if has_dictionary(instance)
]
instance = next(crowd)
instance.attribute = 1
facts["is_dictionary_seen"] = vars(instance) and has_dictionary(instance)
facts["dicts"] = [vars(pool)["_lock"] is pool._lock, len(vars(dynamic))]
report(**facts)
