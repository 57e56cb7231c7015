"""A thread that ends inside an allocator, as the threads of the parent do at a fork: LIBRARY."""

import ctypes
import sys

from heap import HEADER, Heap, core, report

OBJECTS = 2  # PYMEM_DOMAIN_OBJ
library = ctypes.CDLL(sys.argv[2])
python = ctypes.pythonapi
library.end_inside.restype = library.run.restype = ctypes.c_size_t
kept = []


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def work(unused):
    kept.append(bytes(5000))


library.install(python.PyMem_GetAllocator, python.PyMem_SetAllocator, OBJECTS)
with Heap(1):
    ended = library.end_inside(python.PyObject_Malloc)
    core.heap_after_fork()
with Heap(1) as heap:
    begun = library.run(work)
    heap.pause()
    in_use = heap.site("work", 5000).in_use
library.uninstall(python.PyMem_SetAllocator, OBJECTS)
report(
    refusal=None if begun == ended else "the C library gives no thread the stack of another",
    in_use=in_use,
    block_bytes=HEADER + 5000,
)
