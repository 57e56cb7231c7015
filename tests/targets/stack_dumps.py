"""Dumps the stacks of all its threads again and again, in every way that Python has; from each dump
it keeps the function of each thread."""

import faulthandler
import re
import sys
import tempfile
import threading
import traceback

from rounds import run_rounds

N_THREADS = 4


def dig(depth):
    if depth:
        dig(depth - 1)
    else:
        spin()


def spin():
    while not is_over:
        pass


def dump():
    """Return the threads in spin, below their first number of frames, from three kinds of dumps."""
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        dumps = file.read().split("\n\n")
    by_fault = sorted(one.count("in dig") for one in dumps if re.search("in spin$", one, re.M))
    frames = sys._current_frames()
    by_frames, by_text = [], []
    for thread in threads:
        names = [name for name in names_of(frames[thread.ident]) if name in ("dig", "spin")]
        by_frames.append(names.count("dig"))
        text = "".join(traceback.format_stack(frames[thread.ident]))
        by_text.append(text.count("in dig"))
    return by_fault, sorted(by_frames), sorted(by_text)


def names_of(frame):
    while frame:
        yield frame.f_code.co_name
        frame = frame.f_back


is_over = False
threads = [threading.Thread(target=dig, args=(5 * i,)) for i in range(1, N_THREADS + 1)]
for thread in threads:
    thread.start()
while dump()[1] != [5 * i + 1 for i in range(1, N_THREADS + 1)] or len(dump()[0]) != N_THREADS:
    pass
run_rounds("stack dumps", dump)
is_over = True
for thread in threads:
    thread.join()
