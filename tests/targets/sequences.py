"""Three threads that count in restartable sequences (sequences.c), in C code without the GIL.

``LIBRARY`` is that code. The last line has the number of counts, and of missing counts.
"""

import ctypes
import os
import threading

from rounds import announce, run_rounds

library = ctypes.CDLL(os.environ["LIBRARY"])
library.count_in_sequences.argtypes = [ctypes.c_uint64]
library.find_missing.restype = ctypes.c_int64
library.find_counted.restype = ctypes.c_uint64


def count():
    threads = [threading.Thread(target=library.count_in_sequences, args=(50,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    library.count_in_sequences(50)
    for thread in threads:
        thread.join()
    return library.find_missing()


run_rounds("sequences", count)
announce(counted=library.find_counted(), missing=library.find_missing())
