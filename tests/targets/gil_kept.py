"""C code that keeps the GIL from one line of the input until the next one.

The C library reads that line without a release of the GIL, so no other thread can run.
"""

import ctypes
import os
import sys
import threading

from rounds import announce, digest

stop = threading.Event()
other = threading.Thread(target=stop.wait, name="other")
other.start()
libc = ctypes.PyDLL(None)  # not CDLL, which would release the GIL

announce(ready="gil_kept", pid=os.getpid())
rest = ctypes.create_string_buffer(64)
for _ in sys.stdin:
    announce(keeping=True)
    libc.read(sys.stdin.fileno(), rest, len(rest))
    announce(kept=True)
stop.set()
other.join()
announce(result=digest("gil_kept"), rounds=1, wrong=0)
