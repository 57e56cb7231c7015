"""Programs that take locks, in rounds, with the hooks and without in turns.

    python lock_load.py EXTENSION MODE N_TURNS

``lone``: one thread, free locks. A line a turn: ``PROGRAM BEFORE_NS ON_NS AFTER_NS``, for one pair
of acquire and release without hooks, with them at default rates, and after a detach. ``fight``:
threads that want one lock. A line a fight: ``PROGRAM OFF_NS ON_NS OFF_CPU_NS ON_CPU_NS OFF_SLEEPS
ON_SLEEPS``, the time, the processor time and how often threads went to sleep for one pair of all
threads. Python 3.9, standard library.
"""

import importlib.machinery
import importlib.util
import resource
import sys
import threading
import time

N_PAIRS = 2000  # short, so that some slices are undisturbed on a busy machine
N_SLICES = 100  # the fastest of them counts
FIGHT_S = 0.05  # the same
WARM_UP_S = 0.01  # before each fight: first-time costs do not count
N_FIGHTS = 6  # in a turn
BLOCK_RATE_NS, MUTEX_FRACTION = 10_000, 10


def load_core():
    loader = importlib.machinery.ExtensionFileLoader("_core_testing", sys.argv[1])
    spec = importlib.util.spec_from_file_location("_core_testing", sys.argv[1], loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def measure_with(lock):
    numbers = range(N_PAIRS)
    start = time.thread_time_ns()
    for _ in numbers:
        with lock:
            pass
    return (time.thread_time_ns() - start) / N_PAIRS


def measure_calls(lock):
    numbers = range(N_PAIRS)
    start = time.thread_time_ns()
    for _ in numbers:
        lock.acquire()
        lock.release()
    return (time.thread_time_ns() - start) / N_PAIRS


def find_fastest(measure, lock):
    return min(measure(lock) for _ in range(N_SLICES))


def count_sleeps():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def fight(n_threads, work, duration_s=FIGHT_S):
    """Return nanoseconds, CPU nanoseconds and sleeps of a pair; ``work``: steps of a loop inside
    the lock, and as many outside."""
    lock = threading.Lock()
    counts = [0] * n_threads
    is_over = False

    def run(number):
        n = 0
        while not is_over:
            with lock:
                for _ in range(work):
                    pass
            for _ in range(work):
                pass
            n += 1
        counts[number] = n

    threads = [threading.Thread(target=run, args=(number,)) for number in range(n_threads)]
    sleeps = count_sleeps()
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    for thread in threads:
        thread.start()
    time.sleep(duration_s)
    is_over = True
    for thread in threads:
        thread.join()
    n = sum(counts)
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    return wall / n, cpu / n, (count_sleeps() - sleeps) / n


def fight_warm(n_threads, work):
    fight(n_threads, work, WARM_UP_S)
    return fight(n_threads, work)


LONE = {
    "Lock, with": (measure_with, threading.Lock()),
    "Lock, calls": (measure_calls, threading.Lock()),
    "RLock, with": (measure_with, threading.RLock()),
    "RLock, calls": (measure_calls, threading.RLock()),
}
FIGHTS = {"2, 20 steps": (2, 20), "4, 20 steps": (4, 20), "4, 200 steps": (4, 200)}


class Hooks:
    def __init__(self, core):
        self._core = core

    def __enter__(self):
        refusal = self._core.cpu_prepare()
        refusal = refusal or self._core.contention_prepare(time.monotonic_ns())
        refusal = refusal or self._core.lock_install()
        assert refusal is None, refusal
        self._core.contention_set_rates(BLOCK_RATE_NS, MUTEX_FRACTION, 0)

    def __exit__(self, *error):
        self._core.lock_remove()
        self._core.contention_unprepare()
        self._core.cpu_unprepare()


def main():
    hooks = Hooks(load_core())
    for _ in range(int(sys.argv[3])):
        if sys.argv[2] == "lone":
            for name, (measure, lock) in LONE.items():
                before = find_fastest(measure, lock)
                with hooks:
                    on = find_fastest(measure, lock)
                after = find_fastest(measure, lock)
                print(f"{name}\t{before}\t{on}\t{after}")
        else:
            for name, (n_threads, work) in FIGHTS.items():
                for i in range(N_FIGHTS):
                    is_on_first = i % 2 == 1
                    if not is_on_first:
                        off = fight_warm(n_threads, work)
                    with hooks:
                        on = fight_warm(n_threads, work)
                    if is_on_first:
                        off = fight_warm(n_threads, work)
                    numbers = [fought[i] for i in range(3) for fought in (off, on)]
                    print(name, *numbers, sep="\t")


main()
