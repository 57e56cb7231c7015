"""Makes three interpreters in the main thread, and keeps them to the end of its input."""

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest
from several import destroy, make, run

interpreters = [make() for _ in range(3)]
for interpreter in interpreters:
    run(interpreter, "import sys")
announce(ready="kept", pid=os.getpid())
sys.stdin.read()
for interpreter in interpreters:
    destroy(interpreter)
announce(result=digest("kept"), rounds=1, wrong=0)
