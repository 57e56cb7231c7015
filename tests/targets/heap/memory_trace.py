"""Keeps, drops, moves and collects COUNT blocks each, and ends.

The last line has the numbers with which a trace of its memory must end.
"""

import gc
import json
import sys

n = int(sys.argv[1])


class Link:
    def __init__(self):
        self.itself = self


def keep_blocks():
    return [bytearray(1000) for _ in range(n)]


def drop_blocks():
    for _ in range(n):
        bytearray(3000)


def keep_large():
    return bytearray(8 << 20)


def move_blocks(block):
    for size in range(2000, 2000 + n):
        block += bytes(size - len(block))
    return block


def drop_cycles():
    gc.collect()
    gc.disable()
    for _ in range(n):
        Link()
    gc.enable()
    return gc.collect()


kept = keep_blocks()
drop_blocks()
large = keep_large()
moved = move_blocks(bytearray(2000))
n_collected = drop_cycles()
print(json.dumps({"collected": n_collected, "blocks": sys.getallocatedblocks()}), flush=True)
