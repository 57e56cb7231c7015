"""C code that keeps the GIL for as long as it is told to: a line is how many seconds.

It sleeps in the C library meanwhile, called in a way that does not let go. Nobody else can go on.
"""

import ctypes
import os
import sys
import threading

from rounds import announce, digest

stop = threading.Event()
other = threading.Thread(target=stop.wait, name="other")
other.start()
libc = ctypes.PyDLL(None)  # not CDLL, which would let go of the GIL

announce(ready="gil_kept", pid=os.getpid())
for line in sys.stdin:
    announce(keeping=int(line))
    libc.sleep(int(line))
    announce(kept=True)
stop.set()
other.join()
announce(result=digest("gil_kept"), rounds=1, wrong=0)
