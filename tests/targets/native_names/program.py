"""Calls a C library until a number of rounds is over."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])


def call_library():
    library.work(ctypes.c_long(5_000_000))


for _ in range(int(sys.argv[2])):
    call_library()
