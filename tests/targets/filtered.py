"""Threads that fight for a lock, allocate and wait, under a system call filter of its own.

``FILTER`` is the filter, an array of struct sock_filter in hexadecimal, installed for all threads
once they run; with ``LATE`` not before the file named like the one that stops the target, with
``.filter`` behind it, is there, and from then on each round starts a thread. With ``SOCKETS`` the
program has a pair of sockets.
"""

import ctypes
import os
import socket
import sys
import threading
import time

from rounds import run_rounds

_PR_SET_NO_NEW_PRIVS = 38
_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
_SET_MODE_FILTER, _FOR_ALL_THREADS = 1, 1
_libc = ctypes.CDLL(None, use_errno=True)
_lock = threading.Lock()
is_installed = []


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def install(code):
    content = ctypes.create_string_buffer(code)
    program = _Program(len(code) // 8, ctypes.addressof(content))
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        sys.exit("no_new_privs is refused")
    if _libc.syscall(_SYS_SECCOMP, _SET_MODE_FILTER, _FOR_ALL_THREADS, ctypes.byref(program)):
        sys.exit(f"the filter is refused: {os.strerror(ctypes.get_errno())}")


def fight():
    while True:
        with _lock:
            hold()
        time.sleep(0.0005)


def hold():
    return sum(number * number for number in range(2000))


def compute():
    if os.environ.get("LATE") and os.path.exists(sys.argv[1] + ".filter"):
        if not is_installed:
            is_installed.append(True)
            install(bytes.fromhex(os.environ["FILTER"]))
        thread = threading.Thread(target=hold)
        thread.start()
        thread.join()
    kept = [bytearray(2000) for _ in range(200)]
    with _lock:
        return len(kept), sum(number % 7 for number in range(3000))


for _ in range(3):
    threading.Thread(target=fight, daemon=True).start()
kept = socket.socketpair() if os.environ.get("SOCKETS") else None
if os.environ.get("FILTER") and not os.environ.get("LATE"):
    install(bytes.fromhex(os.environ["FILTER"]))
run_rounds("filtered", compute)
