"""Common frame of targets: print "ready", work in rounds until asked to stop, print the result.

A target prints two JSON lines. The first, once it is about to enter its state::

    {"ready": "<name>", "pid": 123}

The last, when the file named by its only argument has appeared, or at the end of its input
if it has no argument::

    {"result": "<digest of the first round>", "rounds": 57, "wrong": 0}

Every round computes the same value, so a profiler that changes what a program computes is seen
in ``wrong``. Nothing here imports or knows anything of Stackglass. Python 3.9, standard library.
"""

import hashlib
import json
import os
import sys


def announce(**facts):
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def is_stopped():
    """Return whether the stop file of this target exists."""
    return len(sys.argv) < 2 or os.path.exists(sys.argv[1])


def digest(value):
    """Return a short digest of a value with a stable repr."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def run_rounds(name, do_round):
    """Call ``do_round()`` again and again; its results must be equal."""
    first = digest(do_round())
    announce(ready=name, pid=os.getpid())
    n_rounds = n_wrong = 0
    while True:
        n_rounds += 1
        n_wrong += digest(do_round()) != first
        if is_stopped():
            break
    announce(result=first, rounds=n_rounds, wrong=n_wrong)
