"""A server's worker that is patched after the fork, as gunicorn's workers are by gevent: threading
then has another id for its main thread. The ready line carries its PID as ``worker``.
"""

import os
import threading
import time

from rounds import announce, digest, is_stopped

parent = os.getpid()
worker = os.fork()
if worker == 0:
    main = threading.main_thread()
    del threading._active[main._ident]
    main._ident = id(main)
    threading._active[main._ident] = main
    while os.getppid() == parent:
        time.sleep(0.05)
    os._exit(0)
announce(ready="patched_worker", pid=parent, worker=worker)
while not is_stopped():
    time.sleep(0.1)
os.kill(worker, 9)
os.waitpid(worker, 0)
announce(result=digest(0), rounds=1, wrong=0)
