"""Waits for other things than locks, and measures them. Obeys its input, a word a line:

``sleep``    a nap
``socket``   a read that waits for what another thread sends late
``select``   a wait that times out
``child``    ``subprocess.Popen.wait`` for one that sleeps
``loop``     an event loop that has nothing to do but to wait for a timer
``blocked``  a task that naps where it should await
``lock``     a lock that another thread holds
``fork``     a child, in which nothing is patched
``stay``     threads that still wait when the program ends
``?``        any other word: answer

An answer has the program's own measurements, in ns.
"""

import asyncio
import ctypes
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

from rounds import announce, digest

NAP_S = 0.1
LOCK = threading.Lock()
READER, WRITER = socket.socketpair()


def take_nap():
    time.sleep(NAP_S)


def send_late():
    time.sleep(NAP_S)
    WRITER.send(b"x")


def read_late():
    sender = threading.Thread(target=send_late)
    sender.start()
    wait_for_byte()
    sender.join()


def wait_for_byte():
    READER.recv(1)


def wait_in_vain():
    select.select([READER], [], [], NAP_S)


def wait_for_child():
    subprocess.Popen(["sleep", str(NAP_S)]).wait()


async def wait_for_timer():
    await asyncio.sleep(NAP_S)


def idle():
    asyncio.run(wait_for_timer())


async def nap_in_task():
    await asyncio.sleep(0)
    time.sleep(4 * NAP_S)


def block_loop():
    asyncio.run(nap_in_task())


def hold_lock(held):
    with LOCK:
        held.set()
        time.sleep(NAP_S)


def wait_for_lock():
    held = threading.Event()
    holder = threading.Thread(target=hold_lock, args=(held,))
    holder.start()
    held.wait()
    with LOCK:
        pass
    holder.join()


def find_pointer():
    """Return time.sleep's C function: PyCFunctionObject.m_ml → PyMethodDef.ml_meth."""
    word = ctypes.c_void_p.from_address
    return word(word(id(time.sleep) + 16).value + 8).value


FIRST_POINTER = find_pointer()


def fork():
    child = os.fork()
    if child == 0:
        time.sleep(0.001)
        os._exit(find_pointer() != FIRST_POINTER)
    return {"is_redirected": find_pointer() != FIRST_POINTER, "status": os.waitpid(child, 0)[1]}


def leave_waiting():
    for wait in (lambda: time.sleep(600), lambda: select.select([READER], [], [])):
        threading.Thread(target=wait, daemon=True).start()


WORDS = {
    "sleep": take_nap,
    "socket": read_late,
    "select": wait_in_vain,
    "child": wait_for_child,
    "loop": idle,
    "blocked": block_loop,
    "lock": wait_for_lock,
    "fork": fork,
    "stay": leave_waiting,
}

announce(ready="other_waits", pid=os.getpid())
for line in sys.stdin:
    word = line.strip()
    begun_ns = time.perf_counter_ns()
    found = WORDS.get(word, dict)() or {}
    answer = {"word": word, "lasted_ns": time.perf_counter_ns() - begun_ns, **found}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("other_waits"), rounds=1, wrong=0)
