"""The program handles every signal that the sampler can use, and releases them: SO CLOCK."""

import ctypes
import os
import signal
import sys
import time

from sampler import Session, core, report

calls = []
CHOSEN = (signal.SIGURG, signal.SIGWINCH)


def read_caught():
    """Return the signals that this process has handlers for."""
    with open("/proc/self/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
    # The C library handles 32 and 33 from the first thread on.
    return {number + 1 for number in range(64) if mask >> number & 1} - {32, 33}


def burn_until(is_reached, seconds=20):
    end = time.monotonic() + seconds
    while not is_reached() and time.monotonic() < end:
        sum(range(200))
        session.collect()
    return is_reached()


def is_sampled(n_before):
    return lambda: sum("burn_until" in sample[4] for sample in session.samples) > n_before + 20


def count():
    return sum("burn_until" in sample[4] for sample in session.samples)


libc = ctypes.CDLL(None)
libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(calls.append)
before = read_caught()
session = Session(hz=1000, clock=sys.argv[2])
reported = {"is_begun": burn_until(is_sampled(0)), "used": sorted(read_caught() - before)}
for signo in CHOSEN:
    signal.signal(signo, lambda number, _: calls.append(number))
reported["clock_without"] = core.cpu_status()["clock"]
reported["used_without"] = sorted(read_caught() - before - set(CHOSEN))
reported["is_sampled_without"] = burn_until(is_sampled(count()))
n_taken = len(calls)
os.kill(os.getpid(), signal.SIGURG)
burn_until(lambda: len(calls) > n_taken, 5)
reported["calls_of_own"] = len(calls)
for signo in CHOSEN:
    signal.signal(signo, signal.SIG_DFL)
reported["is_returned"] = burn_until(lambda: core.cpu_status()["clock"] != "outside")
reported["is_sampled_again"] = burn_until(is_sampled(count()))
libc.signal(int(signal.SIGURG), ctypes.cast(handler, ctypes.c_void_p))  # behind Python's back
reported["is_moved"] = burn_until(lambda: signal.SIGWINCH in read_caught())
n_behind = len(calls)
reported["is_sampled_behind"] = burn_until(is_sampled(count()))
reported["calls_once_noticed"] = len(calls) - n_behind
libc.signal(int(signal.SIGURG), None)
session.stop()
reported["left"] = sorted(read_caught() ^ before)
reported["refusal"] = session.refusal
report(**reported)
