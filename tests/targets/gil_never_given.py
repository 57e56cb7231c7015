"""A service that hangs at its first request: it reads an iterator without an end, with the GIL.

C code reads it that never looks for signals. A regex that backtracks for years does, and then 3.14
also runs files on request (PEP 768): an engine that waits may get the GIL meanwhile.

That request calls its functions for the first time, so that the engine does not know their names.
"""

import os
import sys
from collections import deque
from itertools import repeat

from rounds import announce


class Service:
    def answer(self):
        return self.check(repeat("x"))

    def check(self, items):
        return deque(items, maxlen=0)


announce(ready="gil_never_given", pid=os.getpid())
for _ in sys.stdin:
    announce(hanging=True)
    Service().answer()
