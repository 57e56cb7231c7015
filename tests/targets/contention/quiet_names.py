"""Names of locks in objects whose classes run code when an attribute is read, in a program with an
audit hook (``sys.addaudithook``). None of that code may be called.
"""

import asyncio
import gc
import sys
import threading

from contention import PRIMITIVES, Contention, core, report

assert asyncio.Lock  # so that its functions are found
called = []


class Slotted:
    __slots__ = ("a_name", "lock")


class Derived(Slotted):
    """Has a property in place of a slot of its base."""

    __slots__ = ()

    @property
    def a_name(self):
        called.append("a_name")


class Meta(type):
    """Has a property in place of its classes' dictionary."""

    @property
    def __dict__(cls):
        called.append("__dict__ of a class")
        return {}


class OfMeta(metaclass=Meta):
    lock = threading.Lock()


class Plain:
    pass


class Hidden(Plain):
    """Has a property in place of its instances' dictionary."""

    @property
    def __dict__(self):
        called.append("__dict__")
        return {}


def close_over():
    lock = threading.Lock()
    return lambda: lock


def hear(event, arguments):
    if event == "object.__getattr__":
        called.append(arguments[1])


in_closure = close_over()
crowd = iter([Derived(), Hidden()])
for instance in gc.get_referents(crowd)[0]:
    instance.lock = threading.Lock()
of_plain = vars(Plain)["__dict__"].__get__(instance)  # from now on it has a dictionary
addresses = [id(of_plain["lock"]), id(in_closure()), id(OfMeta.lock)]
addresses += [id(one.lock) for one in gc.get_referents(crowd)[0] if type(one) is Derived]
del instance, of_plain
sys.addaudithook(hear)
facts = {}
with Contention():
    numbers = [core.contention_lock(at, PRIMITIVES["Lock.acquire"]) for at in addresses]
    while core.lock_names_go_on(10**9, 10**9):
        pass
    facts["names"] = [core.lock_name(number) for number in numbers]
    core.lock_names_forget()
    core.asyncio_open()
    facts["is_on"] = core.asyncio_maintain()
    core.asyncio_close()
report(called=called, **facts)
