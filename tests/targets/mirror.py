"""Reports its own state: one JSON line for each line of input.

The test of detaching compares these: everything in a process that Python can see and that an
engine could have left changed. A second thread keeps the interpreter busy meanwhile.
"""

import _asyncio
import _contextvars
import _queue
import _signal
import _socket
import _ssl
import _thread
import asyncio
import contextlib
import ctypes
import gc
import json
import os
import posix
import select
import signal
import sys
import threading
import time
import types

from rounds import announce, digest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "heap"))
from import_slots import list_changes, list_led_into, read_import_slots

N_POINTER = ctypes.sizeof(ctypes.c_void_p)
TP_DEALLOC = 6 * N_POINTER  # PyTypeObject: PyVarObject (3 words), name, basicsize, itemsize
LOCKS = [_thread.LockType, _thread.RLock, _queue.SimpleQueue]
LOCKS += [kind for kind in [getattr(_thread, "_ThreadHandle", None)] if kind]
WAITING = (time, select, posix, _socket)
with contextlib.closing(select.epoll()) as epoll:
    WAITING_TYPES = (type(epoll), type(select.poll()), _socket.socket, _ssl._SSLSocket)
TP_AS_ASYNC = 10 * N_POINTER
LOOP = asyncio.new_event_loop()
FUTURE_ITERATOR = type(_asyncio.Future(loop=LOOP).__await__())
ASYNCIO = [asyncio.Lock, asyncio.Semaphore, asyncio.Queue, asyncio.Handle]
DOMAINS = ("raw", "mem", "obj")
stop = threading.Event()
wrong = []
slots = read_import_slots()


class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]


def read_pointer(address):
    return ctypes.c_void_p.from_address(address).value


def find_method(function):
    """Return the C function behind a builtin: PyCFunctionObject.m_ml → PyMethodDef.ml_meth."""
    definition = read_pointer(id(function) + 2 * N_POINTER)
    return read_pointer(definition + N_POINTER)


def list_builtins(module):
    return {
        f"{module.__name__}.{name}": find_method(value)
        for name, value in sorted(vars(module).items())
        if isinstance(value, types.BuiltinFunctionType)
    }


def list_methods(kind):
    """Return the C functions of a type's methods: PyMethodDescrObject has the definition behind
    type, name and qualname, and its vectorcall behind that."""
    found = {}
    for name, value in sorted(vars(kind).items()):
        if isinstance(value, types.MethodDescriptorType):
            definition = read_pointer(id(value) + 5 * N_POINTER)
            entries = [read_pointer(definition + i * N_POINTER) for i in range(3)]
            found[f"{kind.__name__}.{name}"] = [*entries, read_pointer(id(value) + 6 * N_POINTER)]
    return found


def find_allocators():
    found = {}
    for domain, name in enumerate(DOMAINS):
        allocator = Allocator()
        ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(allocator))
        found[name] = [getattr(allocator, field) for field, _ in Allocator._fields_]
    return found


def find_deallocators():
    kinds = (
        types.CodeType,
        types.FrameType,
        types.FunctionType,
        types.ModuleType,
        FUTURE_ITERATOR,
        *LOCKS,
    )
    return {kind.__name__: read_pointer(id(kind) + TP_DEALLOC) for kind in kinds}


def find_asyncio():
    """Return the C functions behind an await of a future, and all attributes of the classes."""
    found = {"await": read_pointer(read_pointer(id(_asyncio.Future) + TP_AS_ASYNC))}
    for kind in ASYNCIO:
        found.update({f"{kind.__name__}.{name}": id(value) for name, value in vars(kind).items()})
    return found


async def take(lock):
    async with lock:
        await asyncio.sleep(0)


async def contend():
    lock = asyncio.Lock()
    await asyncio.gather(take(lock), take(lock))


def describe():
    LOOP.run_until_complete(contend())
    return {
        "modules": sorted(sys.modules),
        "path": list(sys.path),
        "meta_path": [repr(finder) for finder in sys.meta_path],
        "path_importer_cache": sorted(sys.path_importer_cache),
        "signals": {str(n): repr(signal.getsignal(n)) for n in signal.valid_signals()},
        "itimers": [signal.getitimer(which) for which in range(3)],
        "methods": {
            **list_builtins(_thread),
            **list_builtins(_signal),
            **{name: found for module in WAITING for name, found in list_builtins(module).items()},
            **{
                name: found
                for kind in (*LOCKS, *WAITING_TYPES, _asyncio.Future, _contextvars.Context)
                for name, found in list_methods(kind).items()
            },
        },
        "asyncio": find_asyncio(),
        "deallocators": find_deallocators(),
        "imports_redirected": list_led_into("stackglass/native/_core"),
        "imports_changed": list_changes(slots, read_import_slots()),
        "allocators": find_allocators(),
        "gc": [id(gc.callbacks), list(map(repr, gc.callbacks)), gc.isenabled(), gc.get_threshold()],
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "n_frames": len(sys._current_frames()),
        "trace": repr(sys.gettrace()),
        "profile": repr(sys.getprofile()),
        "switch_interval": sys.getswitchinterval(),
        "audit": "_audit" in vars(sys),
    }


def keep_busy():
    first = digest(range(1000))
    while not stop.is_set():
        if digest(range(1000)) != first:
            wrong.append(1)


thread = threading.Thread(target=keep_busy, name="busy")
thread.start()
describe()  # changes that a report itself makes come before the first answer
announce(ready="mirror", pid=os.getpid())
for _line in sys.stdin:
    sys.stdout.write(json.dumps(describe()) + "\n")
    sys.stdout.flush()
stop.set()
thread.join()
announce(result=digest("mirror"), rounds=1, wrong=len(wrong))
