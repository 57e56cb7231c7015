"""Six interpreters, each with a GIL of its own from 3.12 on, make classes and free them again.

An engine that read the class of an object of theirs could find it freed meanwhile.
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest
from several import run_in_threads

N_INTERPRETERS = 6

WORK = """
import gc, os

while True:
    for number in range(100):
        made = type(f"Made{number}", (), {"number": number})
        if sum(each.number for each in [made() for _ in range(4)]) != 4 * number:
            raise SystemError(f"wrong numbers of {made.__name__}")
        del made
    gc.collect()
    if STOP and os.path.exists(STOP):
        break
"""

announce(ready="classes", pid=os.getpid())
stop = sys.argv[1] if len(sys.argv) > 1 else ""
failures = run_in_threads([WORK.replace("STOP", repr(stop))] * N_INTERPRETERS)
for failure in failures:
    print(failure, file=sys.stderr)
announce(result=digest(0), rounds=1, wrong=len(failures))
