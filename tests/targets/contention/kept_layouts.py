"""Objects without a dictionary that hold locks: the search for names must not create one."""

import gc
import threading

from contention import PRIMITIVES, Contention, core, report


class Tuple(tuple):
    pass


def count_dicts(*objects):
    return sum(isinstance(held, dict) for one in objects for held in gc.get_referents(one))


def name(lock):
    number = core.contention_lock(id(lock), PRIMITIVES["Lock.acquire"])
    while core.lock_names_go_on(10**9, 10**6):
        pass
    return core.lock_name(number)


def name_attribute():
    """Return the name found for an attribute in a dictionary behind the items."""
    one = Tuple([1, 2])
    one.lock = threading.Lock()
    return name(one.lock)


with Contention():
    items = [Tuple([threading.Lock()] * n) for n in (1, 2, 3)]
    for one in items:
        name(one[0])
    n_dicts = count_dicts(*items)
    attribute = name_attribute()
report(n_dicts=n_dicts, attribute=attribute)
