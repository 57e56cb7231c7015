"""Greenlets in several threads: deep stacks, exceptions across switches, some that never end."""

import gc
import os
import sys
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rounds import announce, digest, run_rounds

try:
    import greenlet
except ImportError:
    announce(ready="greenlet", pid=os.getpid(), has_library=False)
    announce(result=digest(0), rounds=1, wrong=0)
    sys.exit(0)


def dive(depth, parent):
    if depth == 0:
        return parent.switch(1)
    return dive(depth - 1, parent) + 1


def use_greenlets(number):
    parent, total = greenlet.getcurrent(), 0
    deep = [greenlet.greenlet(dive) for _ in range(20)]
    for depth, one in enumerate(deep):
        total += one.switch(depth * 5, parent)
    for one in deep[:10]:  # the others are never resumed
        total += one.switch(number)
    for one in deep[10:15]:
        try:
            one.throw(ValueError("thrown into it"))
        except ValueError as error:
            total += len(str(error))

    def generate():
        for i in range(200):
            parent.switch([i] * 10)

    generator = greenlet.greenlet(generate)
    while True:
        found = generator.switch()
        if generator.dead:
            return total
        total += len(found)


def do_round():
    results = [None] * 4

    def work(number):
        results[number] = use_greenlets(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(results))]
    for thread in threads:
        thread.start()
    main = use_greenlets(7)
    for thread in threads:
        thread.join()
    gc.collect()
    return main, results


run_rounds("greenlet", do_round)
