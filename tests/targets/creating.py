"""Threads that start threads, before and after the attach.

Answers ``short N`` (N threads one after the other, each of which ends at once), ``long N`` (N
threads that live on), ``pool`` (a worker of an executor), ``nested`` (a thread that starts one that
lives on), ``brief N`` (N threads one after the other that use 20 ms of CPU, each with a name of its
own), and any other word. ``creating.py --do WORDS`` does that for each word and ends.
"""

import _thread
import concurrent.futures
import os
import sys
import threading
import time

from rounds import announce, digest

BRIEF_S = 0.02

stopped = threading.Event()
pool = concurrent.futures.ThreadPoolExecutor(1)


def start_short(n):
    for _ in range(n):
        thread = threading.Thread(target=len, args=("",))
        thread.start()
        thread.join()


def spin():
    end = time.thread_time() + BRIEF_S
    while time.thread_time() < end:
        pass


def start_brief(n):
    for i in range(n):
        thread = threading.Thread(target=spin, name=f"brief {i}")
        thread.start()
        thread.join()


def start_long(n):
    for i in range(n):
        threading.Thread(target=stopped.wait, name=f"long {i}", daemon=True).start()


def start_bare():
    _thread.start_new_thread(stopped.wait, ())


def start_in_pool():
    pool.submit(len, "").result()


def start_nested():
    outer = threading.Thread(target=start_long, args=(1,), name="outer")
    outer.start()
    outer.join()


def answer(word):
    words = word.split()
    if words[0] == "short":
        start_short(int(words[1]))
    elif words[0] == "brief":
        start_brief(int(words[1]))
    elif words[0] == "long":
        start_long(int(words[1]))
    elif words[0] == "bare":
        start_bare()
    elif words[0] == "pool":
        start_in_pool()
    elif words[0] == "nested":
        start_nested()


older = threading.Thread(target=stopped.wait, name="older", daemon=True)
older.start()
if sys.argv[1:2] == ["--do"]:
    for word in sys.argv[2:]:
        answer(word)
    stopped.wait(1)  # on a crowded machine the last creations are named late
else:
    announce(ready="creating", pid=os.getpid())
    for line in sys.stdin:
        answer(line)
        announce(word=line)
    stopped.set()
    announce(result=digest("creating"), rounds=1, wrong=0)
