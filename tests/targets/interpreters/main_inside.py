"""The main thread always runs in another interpreter; each round computes the same."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest
from several import destroy, make, run

CODE = """
import os
def compute_inside():
    return sum(i * i for i in range(2000))
first = compute_inside()
while not (STOP and os.path.exists(STOP)):
    if compute_inside() != first:
        raise SystemError("wrong")
"""

announce(ready="main thread inside", pid=os.getpid())
inside = make()
run(inside, CODE.replace("STOP", repr(sys.argv[1])))
destroy(inside)
announce(result=digest(0), rounds=1, wrong=0)
