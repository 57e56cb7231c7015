"""A list of threads without one that lives: SO. The process's descriptor of /proc/self/task, which
the sampler keeps, leads to another directory meanwhile."""

import os
import tempfile
import threading

from sampler import Session, core, report

FOLDER = f"/proc/{os.getpid()}/task"


def find_descriptor():
    """Return the descriptor of the sampler's list of threads."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}") == FOLDER:
                return int(name)
        except FileNotFoundError:  # the one that was open for the list of descriptors
            continue
    raise AssertionError("the sampler has no list of threads")


def count_listed():
    session.collect()
    return core.cpu_status()["n_threads"]


def count_without(tid, directory):
    """Count the sampler's threads after a list in which one is missing."""
    kept = os.dup(descriptor)
    for name in os.listdir(FOLDER):
        if int(name) != tid:
            os.symlink(f"{FOLDER}/{name}", f"{directory}/{name}")
    other = os.open(directory, os.O_RDONLY)
    os.dup2(other, descriptor, inheritable=False)
    n_listed = count_listed()
    os.dup2(kept, descriptor, inheritable=False)
    for number in (other, kept):
        os.close(number)
    return n_listed


session = Session(hz=1)
descriptor = find_descriptor()
is_over = threading.Event()
thread = threading.Thread(target=is_over.wait)
thread.start()
n_before = count_listed()
with tempfile.TemporaryDirectory() as temporary:
    n_without = count_without(thread.native_id, temporary)
n_again = count_listed()
is_over.set()
thread.join()
while os.path.exists(f"{FOLDER}/{thread.native_id}"):
    continue  # to be joined is not yet the end
with tempfile.TemporaryDirectory() as temporary:
    n_after = count_without(0, temporary)
session.stop()
report(
    refusal=session.refusal,
    n_before=n_before,
    n_without=n_without,
    n_again=n_again,
    n_after=n_after,
)
