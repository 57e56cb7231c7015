"""Attributes that the program's classes compute, in a dump of threads and tasks: a thread's, which
another thread joins, and that of an event loop."""

import asyncio
import threading
import time

from locks import Locks, core, report

calls = []


def compute(name):
    def get(self):
        calls.append(name)
        return self.__dict__[name]

    def put(self, value):
        self.__dict__[name] = value

    return property(get, put)


class Thread(threading.Thread):
    _name = compute("_name")
    _daemonic = compute("_daemonic")
    _native_id = compute("_native_id")
    _tstate_lock = compute("_tstate_lock")
    _handle = compute("_handle")
    _os_thread_handle = compute("_os_thread_handle")


class Slotted(threading.Thread):
    """A slot reads a field of the object: nothing is computed."""

    __slots__ = ("_name",)


class Loop(asyncio.SelectorEventLoop):
    _thread_id = compute("_thread_id")


async def wait_for(future):
    await future


end = threading.Event()
computed = Thread(target=end.wait)
joiner = threading.Thread(target=computed.join)
slotted = Slotted(target=end.wait, name="slotted")
for thread in (computed, joiner, slotted):
    thread.start()
time.sleep(0.2)  # until all of them wait
loop = Loop()
task = loop.create_task(wait_for(loop.create_future()))
loop.call_soon(loop.stop)
loop.run_forever()
with Locks():
    calls.clear()
    names = {tid: name for tid, _, _, name, _ in core.dump_threads(1 << 40, int)}
    found = list(calls)
end.set()
for thread in (computed, joiner, slotted):
    thread.join()
report(calls=found, names=[names.get(slotted.native_id), names.get(joiner.native_id) != ""])
task.cancel()
loop.call_soon(loop.stop)
loop.run_forever()
loop.close()
