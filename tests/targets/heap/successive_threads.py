"""Successive threads, each in the memory of the previous one, that allocate by sqlite."""

import os
import sqlite3
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import run_rounds


def open_database():
    with sqlite3.connect(":memory:") as database:
        database.execute("create table t (a)")


def run_thread():
    thread = threading.Thread(target=open_database)
    thread.start()
    thread.join()


run_rounds("successive_threads", run_thread)
