"""Cost of the GIL profile for programs that use the GIL heavily, in turns of on and off:
SO HZ TURNS SECONDS."""

import os
import sys
import threading
import time

from gil import Session, core, report

HZ, TURNS, SECONDS = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])


def work():
    total = 0
    for i in range(2000):
        total += i * i


def pass_bytes():
    read, write = os.pipe()
    for _ in range(50):
        os.write(write, b"x")
        os.read(read, 1)
    os.close(read)
    os.close(write)


def count_rounds(function, n_threads):
    """Return the rounds in a second of CPU time."""
    counts = [0] * n_threads
    end = time.monotonic() + SECONDS

    def run(index):
        while time.monotonic() < end:
            function()
            counts[index] += 1

    before = time.process_time()
    threads = [threading.Thread(target=run, args=(index,)) for index in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.process_time() - before)


refusal = None
rounds: dict = {}
for turn in range(TURNS):
    for is_on in (False, True) if turn % 2 else (True, False):
        session = Session(hz=HZ) if is_on else None
        refusal = session and session.refusal
        if refusal:
            break
        for name, function, n_threads in (
            ("1 busy", work, 1),
            ("4 busy", work, 4),
            ("4 with input", pass_bytes, 4),
        ):
            rounds.setdefault(name, ([], []))[is_on].append(count_rounds(function, n_threads))
        if session:
            session.stop()
            core.gil_drain()
report(refusal=refusal, rounds=rounds)
