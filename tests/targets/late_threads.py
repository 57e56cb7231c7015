"""Starts threads all the time; each computes for a moment and ends."""

import threading

from rounds import run_rounds


def count(results, number):
    results[number] = sum(i * i for i in range(20_000))


def start_some():
    results = {}
    threads = [threading.Thread(target=count, args=(results, n)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(results.items())


run_rounds("late threads", start_some)
