"""The sampler's thread gets no processor for a while, as on a crowded machine, when the program
takes the sampler's signal or blocks it: SO BURNER take|block.
"""

import ctypes
import os
import signal
import sys
import threading
import time

from sampler import Session, report

STOP_S = 0.8
SEIZE, INTERRUPT, ALL = 0x4206, 0x4207, 0x40000000

calls = []
library = ctypes.CDLL(sys.argv[2])  # burn_ms(ms), without the GIL
libc = ctypes.CDLL(None, use_errno=True)


def stop_thread(asked, answer):
    """As a debugger: stop the thread that is asked for, say so, and let it go on after a while."""
    text = os.read(asked, 20)
    if not text:  # the program has ended without a question
        return
    tid = int(text)
    if libc.ptrace(SEIZE, tid, None, None):
        os.write(answer, os.strerror(ctypes.get_errno()).encode())
        return
    libc.ptrace(INTERRUPT, tid, None, None)
    os.waitpid(tid, ALL)
    os.write(answer, b"stopped")
    time.sleep(STOP_S)


def start_debugger():
    """Return its process, where to write the thread's number, and where its answer comes."""
    asked, ask = os.pipe()
    listen, answer = os.pipe()
    child = os.fork()
    if not child:
        os.close(ask)  # the end of the program is the end of what is asked
        stop_thread(asked, answer)
        os._exit(0)
    return child, ask, listen


def list_tasks():
    return {int(name) for name in os.listdir("/proc/self/task")}


def take():
    signal.signal(signal.SIGURG, lambda number, _: calls.append(number))


def block():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])


debugger, ask, listen = start_debugger()
tasks_before = list_tasks()
session = Session(hz=1000)
sampler = list_tasks() - tasks_before
refusal = session.refusal
took_s, is_pending = 0.0, False
if not refusal:
    assert len(sampler) == 1, sampler
    burner = threading.Thread(target=library.burn_ms, args=(int(2000 * STOP_S),))
    burner.start()
    os.write(ask, b"%d" % sampler.pop())
    answer = os.read(listen, 100).decode()
    if answer == "stopped":
        began = time.monotonic()
        {"take": take, "block": block}[sys.argv[3]]()
        took_s = time.monotonic() - began
        library.burn_ms(100)
        is_pending = signal.SIGURG in signal.sigpending()
    else:
        refusal = "no debugger is allowed here: " + answer
    burner.join()
    session.stop()
    os.waitpid(debugger, 0)
report(refusal=refusal, stop_s=STOP_S, took_s=took_s, n_calls=len(calls), is_pending=is_pending)
