"""Holds known numbers of objects. Obeys its input, a word and a number a line:

``plain N``   keep N objects of a class
``texts N``   keep N pairs of texts, in a list
``drop``      drop them all
``?``         answer with the number of rounds of a loop in another thread
"""

import json
import os
import sys
import threading
import time

from rounds import announce, digest

kept = []
n_turns = 0


class Plain:
    def __init__(self, value):
        self.value = value


def keep_plain(n):
    return [Plain(None) for _ in range(n)]


def keep_texts(n):
    return [(str(i) * 20, str(-i) * 20) for i in range(n)]


def turn():
    """Run rounds, as the busy part of the program."""
    global n_turns
    while True:
        n_turns += 1
        time.sleep(0.0005)


announce(ready="census", pid=os.getpid())
threading.Thread(target=turn, daemon=True).start()
for line in sys.stdin:
    word, _, number = line.partition(" ")
    if word == "plain":
        kept.append(keep_plain(int(number)))
    elif word == "texts":
        kept.append(keep_texts(int(number)))
    elif word.strip() == "drop":
        kept.clear()
    sys.stdout.write(json.dumps({"word": word, "turns": n_turns}) + "\n")
    sys.stdout.flush()
announce(result=digest("census"), rounds=1, wrong=0)
