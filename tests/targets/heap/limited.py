"""Threads that compute and wait, in a process that has limited itself: $LIMIT."""

import os
import resource
import signal
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds

limit = os.environ.get("LIMIT", "")
value = int(os.environ.get("LIMIT_VALUE", "0"))


def used_address_space():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def handle(number, frame):
    pass


def set_limit():
    if limit == "address-space":
        most = used_address_space() + value
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    elif limit == "descriptors":
        resource.setrlimit(resource.RLIMIT_NOFILE, (value, value))
    elif limit == "stack":
        threading.stack_size(value)
    elif limit == "blocked-signals":
        signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    elif limit == "handlers":
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, handle)


def work():
    lock, totals = threading.Lock(), []

    def add(number):
        total = sum(len(str(i * number)) for i in range(500))
        with lock:
            totals.append(total)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(totals)


set_limit()
run_rounds("limited", work)
