"""Loads copies of a C library, computes in them in several threads, and unloads them; children of
forks do the same."""

import ctypes
import os
import shutil
import sys
import tempfile
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import _ctypes

from rounds import run_rounds

N_THREADS = 3
SOURCE = os.environ["LIBRARY"]


def use_copy(folder, number):
    path = os.path.join(folder, f"copy{number}.so")
    shutil.copyfile(SOURCE, path)
    library = ctypes.CDLL(path)
    for _ in range(20):
        library.work(ctypes.c_long(5000))
    _ctypes.dlclose(library._handle)
    os.remove(path)
    return number


def use_child(folder):
    child = os.fork()
    if child == 0:
        os._exit(use_copy(folder, 9))
    return os.waitpid(child, 0)[1]


def do_round():
    results = [None] * N_THREADS
    with tempfile.TemporaryDirectory() as folder:

        def work(number):
            results[number] = use_copy(folder, number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(N_THREADS)]
        for thread in threads:
            thread.start()
        status = use_child(folder)
        for thread in threads:
            thread.join()
    return results, status


run_rounds("loading", do_round)
