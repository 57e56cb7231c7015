"""Takes every profile of itself through the registry: FOLDER. Prints its findings as JSON."""

import gc
import json
import os
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "core"))

import stackglass

folder = Path(sys.argv[1])
TASKS = "/proc/self/task"
EXITING = 0x4  # PF_EXITING
seen = {}


def count_threads():
    return len(os.listdir(TASKS))


def count_staying_threads():
    """Count threads, without ending threads, which the kernel has marked."""
    return sum(is_staying(path) for path in Path(TASKS).glob("*/stat"))


def is_staying(path):
    try:
        return not int(path.read_text().rpartition(")")[2].split()[6]) & EXITING
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has ended since it was listed


def wait_for_threads(n):
    until = time.monotonic() + 30
    while count_threads() != n and time.monotonic() < until:
        time.sleep(0.01)
    return count_threads()


def hold(lock, arrived):
    arrived.append(1)
    with lock:
        time.sleep(0.005)


def contend(n=16):
    """Each of n threads waits for the lock once, and all but the last release it to a waiter. A
    thread that took the lock again and again could overtake the waiters."""
    lock, arrived = threading.Lock(), []
    threads = [threading.Thread(target=hold, args=(lock, arrived)) for _ in range(n)]
    with lock:
        for thread in threads:
            thread.start()
        while len(arrived) < n:
            time.sleep(0.001)
        time.sleep(0.05)  # for the last threads to reach the lock
    for thread in threads:
        thread.join()


def allocate():
    return [bytearray(2000) for _ in range(500)]


# Threads, without a rate: the engine comes and goes.
stackglass.lookup("threads").write_to(str(folder / "threads.txt"), debug=2)
seen["threads_after_snapshot"] = wait_for_threads(1)

seen["thread_names"] = [
    line for line in (folder / "threads.txt").read_text().splitlines() if line.startswith("thread ")
]

# Rates.
seen["old"] = [
    stackglass.set_block_profile_rate(1),
    stackglass.set_mutex_profile_fraction(1),
    stackglass.set_heap_profile_rate(1),
    stackglass.set_gil_profile_rate(100),
    stackglass.set_block_profile_rate(2),
]
seen["read"] = [
    stackglass.block_profile_rate(),
    stackglass.set_mutex_profile_fraction(-1),
    stackglass.heap_profile_rate(),
    stackglass.gil_profile_rate(),
]
blocks = allocate()
contend()
for profile in stackglass.profiles():
    profile.write_to(folder / f"{profile.name}.pb.gz")
    for debug in (1, 2):
        with open(str(folder / f"{profile.name}.{debug}.txt"), "wb", buffering=0) as file:
            profile.write_to(file, debug)
seen["counts"] = {profile.name: profile.count() for profile in stackglass.profiles()}

# Rate 0 keeps the recorded values, and adds none.
stackglass.set_block_profile_rate(0)
stackglass.set_mutex_profile_fraction(0)
stackglass.set_heap_profile_rate(0)
stackglass.lookup("mutex").write_to(folder / "before_off.pb.gz")
contend()
stackglass.lookup("mutex").write_to(folder / "after_off.pb.gz")

# A forked child has no profiles, and may have its own.
child = os.fork()
if not child:
    states = [count_threads(), stackglass.block_profile_rate()]
    stackglass.set_block_profile_rate(1)
    contend(3)
    states.append(stackglass.lookup("block").count())
    (folder / "child.json").write_text(json.dumps(states))
    os._exit(0)
os.waitpid(child, 0)

# A block of code, beside the profiles that are on.
stackglass.set_heap_profile_rate(1)
with stackglass.allocs_profile(folder / "scope.pb.gz", rate_bytes=1):
    blocks += allocate()
seen["rate_after_scope"] = stackglass.heap_profile_rate()

begin = time.monotonic()
stackglass.withdraw_profile_rates()
seen["withdrawal_s"] = time.monotonic() - begin
seen["threads_just_after"] = count_staying_threads()
seen["threads_after_withdrawal"] = wait_for_threads(1)
with stackglass.block_profile(folder / "alone.pb.gz"):
    contend(3)
seen["threads_after_scope"] = wait_for_threads(1)
gc.collect()
seen["descriptors"] = [
    name
    for name in os.listdir("/proc/self/fd")
    if os.path.exists("/proc/self/fd/" + name)
    and os.readlink("/proc/self/fd/" + name).startswith("socket:")
]
print(json.dumps(seen))
