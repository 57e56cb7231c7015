"""A healthy program, by name (HEALTHY_PROGRAM), until the file that its argument names is there.

Beside that file it writes ``ground``, see ground.py. Its last line has the number of stuck threads.
"""

import os
import sys
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import exclusion
import signals
import structures
from ground import Ground
from rounds import announce, is_stopped

PATIENCE_S = 30

name = os.environ["HEALTHY_PROGRAM"]
ground = Ground(os.path.join(os.path.dirname(sys.argv[1]), "ground"))
(make,) = (
    vars(module)[name] for module in (exclusion, signals, structures) if name in vars(module)
)
make(ground)
announce(ready=name, pid=os.getpid())
while not is_stopped():
    time.sleep(0.01)
stuck = ground.list_stuck(PATIENCE_S)
announce(result=stuck, rounds=ground.n_steps, wrong=len(stuck))
os._exit(0)  # its threads hold locks
