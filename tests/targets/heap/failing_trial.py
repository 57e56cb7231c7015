"""The trial of the hooks while memory is short: LIBRARY."""

import ctypes
import sys

from heap import Heap, core, report

OBJECTS = 2  # PYMEM_DOMAIN_OBJ
library = ctypes.CDLL(sys.argv[2])
python = ctypes.pythonapi

library.install(python.PyMem_GetAllocator, python.PyMem_SetAllocator, OBJECTS)
with Heap(1):
    library.fail(1)
    are_called = core.heap_check_hooks()
    library.fail(0)
library.uninstall(python.PyMem_SetAllocator, OBJECTS)
report(are_called=are_called)
