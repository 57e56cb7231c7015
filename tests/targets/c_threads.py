"""C threads that never run Python and use CPU time: strlen() of a large block, again and again."""

import ctypes

from rounds import run_rounds

N_THREADS = 4
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.pthread_create.argtypes = [ctypes.c_void_p] * 4
libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.POINTER(ctypes.c_size_t)]
SIZE = 400_000_000
block = libc.malloc(SIZE)
libc.memset(block, 1, SIZE - 1)
libc.memset(block + SIZE - 1, 0, 1)
start = ctypes.cast(libc.strlen, ctypes.c_void_p)


def run_c_threads():
    threads = [ctypes.c_ulong() for _ in range(N_THREADS)]
    for thread in threads:
        assert libc.pthread_create(ctypes.byref(thread), None, start, block) == 0
    lengths = []
    for thread in threads:
        length = ctypes.c_size_t()
        libc.pthread_join(thread, ctypes.byref(length))
        lengths.append(length.value)
    return lengths


run_rounds("threads of C", run_c_threads)
