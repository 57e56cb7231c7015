"""Starts threads that all live on, until it reads a line; prints their number."""

import os
import select
import sys
import threading

from rounds import announce, digest

MOST = 500

stopped = threading.Event()
announce(ready="starting_all_along", pid=os.getpid())
n = 0
while n < MOST and not select.select([sys.stdin], [], [], 0)[0]:
    threading.Thread(target=stopped.wait, daemon=True).start()
    n += 1
sys.stdin.readline()
announce(n_threads=n + 1)
sys.stdin.read()
stopped.set()
announce(result=digest("starting_all_along"), rounds=1, wrong=0)
