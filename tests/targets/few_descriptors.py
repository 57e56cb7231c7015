"""A program that, once it has all it needs, forbids itself to open files: a simple sandbox."""

import resource
import sys

from rounds import announce, digest

LIMIT = 1  # less than what the engine waits for


def work():
    return sum(number * number for number in range(20_000))


announce(ready="few_descriptors", pid=0)
for line in sys.stdin:
    if line.strip() == "confine":
        resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    announce(done=line.strip(), result=digest(work()))
announce(result=digest(work()), rounds=1, wrong=0)
