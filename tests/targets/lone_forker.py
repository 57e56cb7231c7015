"""A program of one thread: forks for each line of input, and reports the warnings of that."""

import os
import sys
import warnings

from rounds import announce, digest


def fork_and_count():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        n_filters = len(warnings.filters)
        pid = os.fork()
        if pid == 0:
            os._exit(len(warnings.filters) - n_filters)
        status = os.waitpid(pid, 0)[1]
        n_left = status + len(warnings.filters) - n_filters
    return [str(warning.message) for warning in caught], n_left


announce(ready="lone forker", pid=os.getpid())
n_rounds = 0
for _line in sys.stdin:
    reported, n_left = fork_and_count()
    n_rounds += 1
    announce(warnings=reported, filters_left=n_left)
announce(result=digest(0), rounds=n_rounds, wrong=0)
