"""Six interpreters, each with a GIL of its own from 3.12 on, allocate at changing depths.

A tracer of allocations reads a stack for nearly every one of them, and with fewer processors than
interpreters, some threads stop within that.
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest
from several import run_in_threads

N_INTERPRETERS = 6

WORK = """
import os

def descend(depth):
    kept = [depth + 1e6 for _ in range(3)]
    return len(kept) + (descend(depth - 1) if depth else 0)

while True:
    found = sum(descend(depth) for depth in range(20))
    if found != 630:
        raise SystemError(f"{found} in place of 630")
    if STOP and os.path.exists(STOP):
        break
"""

announce(ready="descending", pid=os.getpid())
stop = sys.argv[1] if len(sys.argv) > 1 else ""
failures = run_in_threads([WORK.replace("STOP", repr(stop))] * N_INTERPRETERS)
for failure in failures:
    print(failure, file=sys.stderr)
announce(result=digest(0), rounds=1, wrong=len(failures))
