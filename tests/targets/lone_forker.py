"""A program of one thread that forks and counts the warnings it gets: there are none."""

import os
import warnings

from rounds import run_rounds


def fork_and_count():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        n_filters = len(warnings.filters)
        pid = os.fork()
        if pid == 0:
            os._exit(len(warnings.filters) - n_filters)
        status = os.waitpid(pid, 0)[1]
        return (
            [str(warning.message) for warning in caught],
            status,
            len(warnings.filters) - n_filters,
        )


run_rounds("lone forker", fork_and_count)
