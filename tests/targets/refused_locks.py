"""A busy program whose locks cannot be profiled, because a method has another name.

Nothing in Python reads the name in a method's C definition once its type is made, so the program
goes on as before; and the engine, which compares it, refuses.
"""

import _thread
import struct
import threading

from rounds import run_rounds

METHOD_DEFINITION = 40  # PyMethodDescrObject.d_method
OTHER_NAME = b"acquired\0"
LOCK = threading.Lock()


def rename_acquire():
    method = type(_thread.allocate_lock()).__dict__["acquire"]
    name = bytes(OTHER_NAME)
    address_of_bytes = id(name) + type(name).__basicsize__ - 1
    kept.append(name)
    with open("/proc/self/mem", "rb+", buffering=0) as memory:
        memory.seek(id(method) + METHOD_DEFINITION)
        (definition,) = struct.unpack("P", memory.read(8))
        memory.seek(definition)
        memory.write(struct.pack("P", address_of_bytes))


def work():
    with LOCK:
        return sorted(str(number * 7 % 1000) for number in range(3000))


kept = []
rename_acquire()
run_rounds("refused locks", work)
