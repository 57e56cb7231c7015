"""The main thread, which an attach tries first, is nearly always in the loader, where it must not
be used. Another thread computes."""

import ctypes
import os
import threading

from rounds import run_rounds

HELD_MS = 400


def compute():
    return sum(number % 7 for number in range(3000))


def compute_on():
    while not is_over:
        compute()


def hold():
    library.hold_loader(HELD_MS)
    os.waitpid(-1, 0)


is_over = False
library = ctypes.CDLL(os.environ["LOADER_HOLDER"])
thread = threading.Thread(target=compute_on)
thread.start()
run_rounds("loader held", hold)
is_over = True
thread.join()
