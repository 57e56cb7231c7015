"""A thread that loads the library for an entry, with blocked signals: SO NOTED MASK_S [CLOCK].

NOTED: 1 = the thread informs the engine, as the library's entry does; 0 = it does not
MASK_S: how long its signals stay blocked after sampling began
"""

import ctypes
import signal
import sys
import threading
import time

from sampler import Session, core, report

IS_NOTED, MASK_S = sys.argv[2] == "1", float(sys.argv[3])
CLOCK = sys.argv[4] if len(sys.argv) > 4 else "auto"
FAULTS = (
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGILL,
    signal.SIGFPE,
    signal.SIGTRAP,
    signal.SIGSYS,
)
USED_BEFORE_S, USED_AFTER_S = 0.8, 0.7
libc = ctypes.CDLL(None)
is_masked, is_started = threading.Event(), threading.Event()
used_s = {}


class Mask(ctypes.Structure):
    _fields_ = [("words", ctypes.c_ulong * 16)]


def set_mask(word):
    mask = Mask()
    mask.words[0] = word
    libc.pthread_sigmask(int(signal.SIG_SETMASK), ctypes.byref(mask), None)


def burn(cpu_s):
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        sum(range(500))


def visited():
    burn(USED_BEFORE_S)
    word = (1 << 64) - 1
    for number in FAULTS:
        word &= ~(1 << (number - 1))
    set_mask(word)
    if IS_NOTED:
        core.cpu_note_visited()
    is_masked.set()
    is_started.wait()
    before = time.thread_time()
    end = time.monotonic() + MASK_S
    while time.monotonic() < end:
        sum(range(500))
    set_mask(0)
    used_s["masked"] = time.thread_time() - before
    burn(USED_AFTER_S)


thread = threading.Thread(target=visited)
thread.start()
is_masked.wait()
session = Session(hz=1000, clock=CLOCK)
is_started.set()
while thread.is_alive():
    time.sleep(0.005)
    session.collect()
counts = core.outside_counts()
session.stop()
thread.join()
its = [sample for sample in session.samples if sample[0] == thread.native_id]
blocked_s = sum(sample[3] for sample in its if "<signal blocked>" in sample[4]) / 1e9
report(
    refusal=session.refusal,
    n_outside=counts["n_stacks"] + counts["n_blocked"],
    booked_s=counts["booked_ns"] / 1e9,
    blocked_s=blocked_s,
    sampled_s=sum(sample[3] for sample in its) / 1e9,
    used_s=used_s["masked"] + USED_AFTER_S,
)
