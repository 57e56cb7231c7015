"""Threads that wait in every kind of expression and statement, each for an object to which only a
variable of a running thread refers.

Answers a line with an empty line, once that thread has released all objects.
"""

# ruff: noqa: F401 - the texts below use them

import contextlib
import contextvars
import functools
import gc
import itertools
import operator
import queue
import sys
import threading
import types
import weakref

from rounds import announce, digest

VALUES = {
    "__abs__": 1,
    "__add__": 1,
    "__bool__": True,
    "__call__": 1,
    "__contains__": False,
    "__delitem__": None,
    "__enter__": None,
    "__eq__": True,
    "__exit__": None,
    "__format__": "",
    "__getitem__": 1,
    "__hash__": 1,
    "__index__": 1,
    "__len__": 0,
    "__lt__": True,
    "__radd__": 1,
    "__setitem__": None,
    "__str__": "",
}
"""Return values of methods."""

EXPRESSIONS = """
held.wait()
held.wait(held, held)
held.wait(held, k=held)
held.wait(*[held])
held.wait(*(held,), **{"k": held})
held.wait(*(each for each in [held]))
held.queue.get()
held.queue.get(True)
(method := held.wait) and method(held)
wait_for(held, held, k=held)
wait_for(**{"held": held})
decorated(held, k=held)
Held.wait(held)
Static.wait(held, held)
Static().wait_with_class(held, held)
functools.partial(wait_for, held)()
functools.partial(wait_for, held)(1)
functools.partial(wait_for, held)(k=1)
functools.partial(wait_for, held)(*[1])
functools.partial(wait_for, held, 1)(1)
functools.partial(held.wait)(1)
functools.partial(functools.partial(wait_for, held))(1)
functools.partial(held.queue.get, True)()
held.partial_method(held)
operator.methodcaller("wait", 1)(held)
types.MethodType(functools.partial(wait_for, held), held)()
held.attribute
held.cached
setattr(held, "attribute", held)
getattr(held, "attribute")
held[1]
held[1:2]
operator.setitem(held, 1, held)
operator.delitem(held, 1)
1 in held
held in (1, 2)
held + 1
1 + held
held < 1 < 2
0 < 1 < held.wait()
held(held)
held or 1
not held
1 if held else 2
f"a{1}b{held}c"
"%s %s" % (1, held)
{held: 1}
{1: 1}.get(held)
[1, 2][held]
[each.wait() for each in [held]]
{each: held.wait() for each in [1]}
[held, (held, {1: held.wait()}), held]
abs(held)
len(held)
sorted([1, 2], key=held)
list(map(held, [held]))
list(itertools.starmap(wait_for, [(held, 1)]))
functools.reduce(held, [1, 2])
next(iter(held.queue.get, None))
contextvars.copy_context().run(wait_for, held)
weakref.proxy(held).wait()
weakref.ref(held)().wait()
Made(held)
eval("held.wait()", {"held": held})
(lambda each: each.wait())(held)
""".strip().splitlines()
"""Expressions in a function with the variable `held`, whose stack had more references before."""

STATEMENTS = [
    "held[1] = held",
    "del held[1]",
    "held.attribute = held",
    "sum_of = held\n    sum_of += 1",
    "one, two = held, held.wait()",
    "with held:\n        pass",
    "with contextlib.suppress(), held as entered:\n        pass",
    "with contextlib.suppress():\n        held.wait()",
    "with contextlib.ExitStack() as exits:\n        exits.callback(wait_for, held)",
    "for each in [held]:\n        each.wait()",
    "for each in [held]:\n        with contextlib.suppress():\n            return each.wait()",
    "try:\n        pass\n    finally:\n        held.wait()",
    "try:\n        1 / 0\n    except ZeroDivisionError as error:\n        held.wait()",
    "class Body:\n        made = held.wait()",
    "def inner(default=held.wait()):\n        pass",
    "def inner():\n        return held.wait()\n    inner()",
    "frame = sys._getframe()\n    wait_for(held)",
    "variables = locals()\n    wait_for(held)",
    "assert held",
    "exec('wait_for(held)')",
]


class Held:
    def __init__(self):
        self.queue = queue.Queue()

    def wait(self, *arguments, **named):
        return self.queue.get()

    partial_method = functools.partialmethod(wait, 1)

    @property
    def attribute(self):
        return self.wait()

    @attribute.setter
    def attribute(self, value):
        self.wait()

    @functools.cached_property
    def cached(self):
        return self.wait()


class Static:
    @staticmethod
    def wait(held, *arguments):
        held.wait()

    @classmethod
    def wait_with_class(cls, held, *arguments):
        held.wait()


class Made:
    def __init__(self, held):
        held.wait()


def wait_for(held, *arguments, **named):
    held.wait()


@functools.wraps(wait_for)
def decorated(*arguments, **named):
    wait_for(*arguments, **named)


def add_method(name, value):
    def method(self, *arguments):
        self.wait()
        return value

    setattr(Held, name, method)


def compile_text(text):
    """Compile a function that takes the object out of a list; its stack has old pointers."""
    space = dict(globals())
    before = "held = box.pop()\n    many = [held, held, held, held, held, held, held, held]"
    exec(f"def run(box):\n    {before}\n    del many\n    {text}\n", space)
    return space["run"]


def hold(objects):
    """Hold each object in a variable of a frame of its own."""
    held = objects.pop()
    if objects:
        hold(objects)
    else:
        is_held.set()
        may_let_go.wait(1000)
    del held


def start_all():
    objects = []
    for text in EXPRESSIONS + STATEMENTS:
        held = Held()
        threading.Thread(target=compile_text(text), args=([held],), name=text, daemon=True).start()
        objects.append(held)
    holder = threading.Thread(target=hold, args=(objects,), name="holder")
    holder.start()
    del held, objects
    is_held.wait()
    return holder


for method_name, returned in VALUES.items():
    add_method(method_name, returned)
is_held, may_let_go = threading.Event(), threading.Event()
gc.disable()
holder = start_all()
announce(ready="held", n_threads=len(EXPRESSIONS + STATEMENTS))
while sys.stdin.readline():
    may_let_go.set()
    holder.join()
    announce()
may_let_go.set()
announce(result=digest(0), rounds=1, wrong=0)
