"""Threads that block the sampler's signal, and count the ticks that they receive: SO CLOCK HZ WAY
WHEN CPU_S [N_GROUPS].

WAY: python, c     how the signal is blocked: signal.pthread_sigmask, or the C library's own
     inherit       by the thread that has started it
     wait          not at all: only by signal.sigtimedwait
WHEN: before, late, often   before the session starts, once after that, or repeatedly during it
CPU_S: CPU time that the threads use meanwhile
N_GROUPS: number of groups of the program's user
"""

import ctypes
import os
import signal
import sys
import threading
import time

from sampler import Session, report

CLOCK, HZ, WAY, WHEN = sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
CPU_S = float(sys.argv[6])
if len(sys.argv) > 7:
    os.setgroups(range(10**9, 10**9 + int(sys.argv[7])))
SIGNALS = (signal.SIGURG, signal.SIGWINCH)
libc = ctypes.CDLL(None)
is_started, is_over = threading.Event(), threading.Event()
true = {"rare": 0, "often": 0}
n_got, n_turns = [0, 0], 0
# The program's own signal is ignored while a thread does not block it.
unblocking, is_own_sent = threading.Lock(), False


class Mask(ctypes.Structure):
    _fields_ = [("words", ctypes.c_ulong * 16)]


def mask_of(numbers):
    mask = Mask()
    for number in numbers:
        mask.words[0] |= 1 << (number - 1)
    return mask


def change_mask(how):
    if WAY == "python":
        signal.pthread_sigmask(how, SIGNALS)
    elif WAY == "c":
        libc.pthread_sigmask(int(how), ctypes.byref(mask_of(SIGNALS)), None)


def multiply(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def rare():
    multiply(3000)


def often():
    for _ in range(3):
        multiply(3000)


def receive():
    """Return the signals received by sigtimedwait, and by a signalfd of this thread."""
    if signal.sigtimedwait(SIGNALS, 0) is not None:
        n_got[0] += 1
    try:
        if os.read(descriptor, 128):
            n_got[1] += 1
    except BlockingIOError:
        pass


def work():
    global n_turns
    if WHEN == "late":
        is_started.wait()
        multiply(100_000)  # its timer is set, and has ticked
    change_mask(signal.SIG_BLOCK)
    blocking.release()
    while not is_over.is_set():
        for function in (rare, often):
            before = time.thread_time_ns()
            function()
            if is_started.is_set():
                true[function.__name__] += time.thread_time_ns() - before
        receive()
        n_turns += 1
        if WHEN == "often" and n_turns % 50 == 0:
            with unblocking:
                if not is_own_sent:
                    change_mask(signal.SIG_UNBLOCK)
                    multiply(3000)
                    change_mask(signal.SIG_BLOCK)
            receive()


blocking = threading.Semaphore(0)
descriptor = libc.signalfd(-1, ctypes.byref(mask_of(SIGNALS)), os.O_NONBLOCK)
threads = [threading.Thread(target=work) for _ in range(2)]
if WAY == "inherit":
    libc.pthread_sigmask(int(signal.SIG_BLOCK), ctypes.byref(mask_of(SIGNALS)), None)
session = None
if WHEN != "before":
    session = Session(hz=HZ, clock=CLOCK)
for thread in threads:
    thread.start()
if WAY == "inherit":
    libc.pthread_sigmask(int(signal.SIG_UNBLOCK), ctypes.byref(mask_of(SIGNALS)), None)
if WHEN == "before":
    for _ in threads:
        blocking.acquire()
    session = Session(hz=HZ, clock=CLOCK)
is_started.set()
end = time.monotonic() + 60
used = time.process_time()
while time.process_time() - used < CPU_S and time.monotonic() < end:
    time.sleep(0.005)
    session.collect()
n_ticks = n_got[:]
# Exactly one signal of the program's own arrives.
is_own_missing = WAY not in ("wait",)
if is_own_missing:
    with unblocking:
        is_own_sent = True
        signal.pthread_kill(threads[0].ident, signal.SIGURG)
    end = time.monotonic() + 20
    while sum(n_got) == sum(n_ticks) and time.monotonic() < end:
        time.sleep(0.005)
        session.collect()
is_over.set()
for thread in threads:
    thread.join()
session.stop()
sampled = {name: session.share(name) for name in true}
report(
    refusal=session.refusal,
    clock=session.status["clock"],
    n_got=n_ticks,
    n_own=sum(n_got) - sum(n_ticks),
    n_turns=n_turns,
    true={name: ns / sum(true.values()) for name, ns in true.items()},
    got={name: part / max(sum(sampled.values()), 1e-9) for name, part in sampled.items()},
    known=session.share("work"),
    blocked=session.share("<signal blocked>"),
    total=session.total_ns / session.cpu_ns,
    cpu_s=session.cpu_ns / 1e9,
    unsure_s=session.unsure_ns / 1e9,
    n_samples=sum(sample[2] for sample in session.samples),
    n_of={name: sum(s[2] for s in session.samples if name in s[4]) for name in true},
)
