"""Three threads that want the GIL all the time; one function holds it most of the time."""

import threading

from rounds import run_rounds


def have_long():
    return sum([number * number for number in range(7000)])


def have_briefly():
    return sum([number * number for number in range(2000)])


def compete():
    while not is_over.is_set():
        have_long()
        have_briefly()


is_over = threading.Event()
threads = [threading.Thread(target=compete) for _ in range(2)]
for thread in threads:
    thread.start()
run_rounds("gil bound", lambda: (have_long(), have_briefly()))
is_over.set()
for thread in threads:
    thread.join()
