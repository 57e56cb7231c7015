"""The program's own SIGURG, before and after the sampler's; and the restored state at the end."""

import _thread
import ctypes
import os
import signal
import sys
import threading
import time

from sampler import Session, core, report

calls = []


def on_urgent(signo, frame):
    calls.append(signo)


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(200))


def burn_until_sampled(session, n_before=0):
    """Use CPU time until sampled: CPU timers sample threads at the kernel's tick, not at once."""
    patience = time.monotonic() + 10
    while len(session.samples) == n_before and time.monotonic() < patience:
        burn(0.05)
        session.collect()


def describe():
    """Return the state that detaching must restore. A joined thread may still be ending."""
    end = time.monotonic() + 2
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < end:
        time.sleep(0.001)
    with open("/proc/self/status") as status:
        masks = [line for line in status if line.startswith("Sig") and "SigQ" not in line]
    with open("/proc/self/timers") as timers:
        n_timers = len(timers.read())
    fds = sorted(os.listdir("/proc/self/fd"))
    tasks = sorted(os.listdir("/proc/self/task"))
    # The hash of a built-in function depends on its C function's address.
    pointers = [hash(_thread.start_new_thread), hash(_thread.start_new)]
    pointers.append(hash(getattr(_thread, "start_joinable_thread", _thread.start_new)))
    pointers.append(hash(sys.modules["_signal"].signal))
    code_type = type(on_urgent.__code__)
    pointers.append(ctypes.c_void_p.from_address(id(code_type) + 48).value)
    return [masks, n_timers, fds, tasks, pointers]


first = threading.Thread(target=burn, args=(0.0,))  # the C library claims a signal for threads
first.start()
first.join()
before = describe()
reported = {}

session = Session(hz=1000, clock=sys.argv[2])  # SIGURG is free
reported["refusal"] = session.refusal
burn(0.1)
session.collect()
reported["getsignal"] = signal.getsignal(signal.SIGURG) == signal.SIG_DFL
reported["n_before"] = len(session.samples)
previous = signal.signal(signal.SIGURG, on_urgent)  # and now it is handled
reported["previous"] = previous == signal.SIG_DFL
burn(0.2)
session.collect()
burn_until_sampled(session, reported["n_before"])
reported["n_after"] = len(session.samples)
reported["calls_without_reason"] = len(calls)
os.kill(os.getpid(), signal.SIGURG)
burn(0.01)
reported["calls_of_own"] = len(calls)
session.stop()
reported["handler_kept"] = signal.getsignal(signal.SIGURG) is on_urgent
os.kill(os.getpid(), signal.SIGURG)
burn(0.01)
reported["calls_after_stop"] = len(calls)

session = Session(hz=1000, clock="auto")  # the program's handler is there from the start
burn(0.1)
session.stop()
reported["n_with_handler"] = len(session.samples)
reported["calls_at_end"] = len(calls)
signal.signal(signal.SIGURG, signal.SIG_DFL)

libc = ctypes.CDLL(None)
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda signo: None)
session = Session(hz=20, clock="auto")  # taken behind Python's back, and the first tick with it
libc.signal(int(signal.SIGURG), handler)
burn(0.1)
session.collect()
burn(0.2)
session.collect()
burn_until_sampled(session)
session.stop()
reported["n_behind_back"] = len(session.samples)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.signal.restype = ctypes.c_void_p
libc.signal(int(signal.SIGURG), None)

session = Session(hz=20, clock="auto")  # one of the program's is pending when the first tick comes
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
signal.pthread_kill(threading.get_ident(), signal.SIGURG)
burn(0.1)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGURG})
burn_until_sampled(session)
session.stop()
reported["n_behind_pending"] = len(session.samples)

session = Session(hz=1000, clock="auto")
worker = threading.Thread(target=burn, args=(0.05,))
worker.start()
burn(0.1)
child = os.fork() if sys.version_info < (3, 12) else 0
if child == 0 and sys.version_info < (3, 12):
    core.cpu_after_fork()
    inside = describe()
    unlike = [own != theirs for own, theirs in zip(before, inside)]
    burn(0.05)
    unlike[2] = False  # here, unlike in the engine, descriptors are shared and so inherited
    unlike[3] = len(inside[3]) != 1
    unlike[0] = before[0] != inside[0]
    again = Session(hz=1000)
    burn(0.1)
    again.stop()
    os._exit(sum(bit << i for i, bit in enumerate(unlike)) + (0 if again.samples else 64))
reported["child"] = os.waitpid(child, 0)[1] if child else 0
worker.join()
session.stop()
after = describe()
reported["left"] = [[a, b] for a, b in zip(before, after) if a != b]
report(**reported)
