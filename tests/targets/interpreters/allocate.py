"""For each line of input N, four interpreters allocate N MiB each, all at the same time.

The bytes are freed at once. Answers with the bytes that were allocated in ``allocate``.
"""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest
from several import run_in_threads

N_INTERPRETERS = 4
SIZE = 10_000
OVERHEAD = sys.getsizeof(b"")

CODE = """
def allocate(n):
    for _ in range(n):
        bytes({size})
allocate({n})
"""

announce(ready="allocations", pid=os.getpid())
failures = []
for line in sys.stdin:
    n = int(line) * (1 << 20) // SIZE
    failures += run_in_threads([CODE.format(size=SIZE, n=n)] * N_INTERPRETERS)
    announce(allocated=N_INTERPRETERS * n * (SIZE + OVERHEAD))
for failure in failures:
    print(failure, file=sys.stderr)
announce(result=digest(0), rounds=1, wrong=len(failures))
