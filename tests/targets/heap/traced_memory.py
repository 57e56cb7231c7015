"""For each line of input N, starts and stops tracemalloc N times, with new code each time."""

import os
import sys
import tracemalloc

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest

announce(ready="tracemalloc", pid=os.getpid())
total = 0
for line in sys.stdin:
    for number in range(int(line)):
        tracemalloc.start()
        space = {}
        exec(f"def made_{number}(n):\n    return [[i] for i in range(n)]", space)
        total += len(space[f"made_{number}"](500))
        tracemalloc.stop()
    announce(total=total)
announce(result=digest(0), rounds=1, wrong=0)
