"""The program takes the sampler's signal while the thread that is armed last is busy: SO BURNER.

Arming hundreds of idle threads before it takes milliseconds. Until then ticks may still arrive by
the signal that the sampler has given up.
"""

import ctypes
import os
import signal
import sys
import threading
import time

from sampler import Session, report

N_IDLE = 400
N_TURNS = 5

calls = []
library = ctypes.CDLL(sys.argv[2])  # burn_ms(ms), without the GIL
is_over = threading.Event()
for _ in range(N_IDLE):
    threading.Thread(target=is_over.wait).start()


def count_ticks(session):
    session.collect()
    return sum(sample[2] for sample in session.samples)


def take_signal():
    """Use CPU time, and take the signal meanwhile. Returns whether ticks came, and a refusal."""
    signal.signal(signal.SIGURG, signal.SIG_DFL)
    session = Session(hz=10_000)
    burner = threading.Thread(target=library.burn_ms, args=(200,))
    burner.start()
    end = time.monotonic() + 20
    while not count_ticks(session) and time.monotonic() < end:
        time.sleep(0.001)
    is_sampled = bool(session.samples)
    signal.signal(signal.SIGURG, lambda number, _: calls.append(number))
    burner.join()
    session.stop()
    return is_sampled, session.refusal


turns = [take_signal() for _ in range(N_TURNS)]
n_without_reason = len(calls)
os.kill(os.getpid(), signal.SIGURG)
is_over.set()
report(
    n_sampled=sum(is_sampled for is_sampled, _ in turns),
    n_without_reason=n_without_reason,
    n_of_own=len(calls) - n_without_reason,
    refusal=turns[0][1],
)
