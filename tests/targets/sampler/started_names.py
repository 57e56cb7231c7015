"""Names of Threads as the hook of thread starts reads them, from the method that it is given."""

import threading
import tracemalloc

from sampler import core, report

n_calls = 0


class Named(threading.Thread):
    """A Thread whose name runs code."""

    @property
    def _name(self):
        global n_calls
        n_calls += 1
        return "computed"

    @_name.setter
    def _name(self, name):
        pass


class Other:
    def __init__(self):
        self._name = "other"

    def run(self):
        pass


def name(text):
    return core.started_thread_name(threading.Thread(name=text)._bootstrap)


core.cpu_prepare()
core.creations_open()
computed = Named()
n_calls = 0
names = [
    name("worker 1"),
    name("früh ☀"),
    name("\ud800"),
    name("long " * 100),
    core.started_thread_name(computed._bootstrap),
    core.started_thread_name(Other().run),
    core.started_thread_name(len),
]
method = threading.Thread(name="a")._bootstrap  # the interpreter keeps strings of one character
tracemalloc.start()
before = tracemalloc.get_traced_memory()[1]
core.started_thread_name(method)
n_bytes = tracemalloc.get_traced_memory()[1] - before
tracemalloc.stop()
core.creations_close()
names.append(name("closed"))
core.cpu_unprepare()
report(names=names, n_calls=n_calls, n_bytes=n_bytes)
