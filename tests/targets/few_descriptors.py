"""A simple sandbox: the program opens its files, and then forbids itself to open more. The line
"confine LIMIT" makes it do so."""

import resource
import sys

from rounds import announce, digest


def work():
    return sum(number * number for number in range(20_000))


announce(ready="few_descriptors", pid=0)
for line in sys.stdin:
    order, limit = line.split()
    if order == "confine":
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(limit), int(limit)))
    announce(done=line.strip(), result=digest(work()))
announce(result=digest(work()), rounds=1, wrong=0)
