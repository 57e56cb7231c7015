"""Installation of a system call filter, an array of struct sock_filter, in a target."""

import ctypes
import os
import sys

_PR_SET_NO_NEW_PRIVS = 38
_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
_SET_MODE_FILTER, _FOR_ALL_THREADS = 1, 1
_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def install(code, *, is_for_all=True):
    content = ctypes.create_string_buffer(code)
    program = _Program(len(code) // 8, ctypes.addressof(content))
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        sys.exit("no_new_privs is refused")
    threads = _FOR_ALL_THREADS if is_for_all else 0  # else this one, and those it starts
    if _libc.syscall(_SYS_SECCOMP, _SET_MODE_FILTER, threads, ctypes.byref(program)):
        sys.exit(f"the filter is refused: {os.strerror(ctypes.get_errno())}")
