"""Keeps objects, and prints addresses of bytes by size, of lists, and its count of blocks."""

import gc
import json
import os
import sys

sizes = range(1, 4000, 7)
texts = [bytes(size) for size in sizes]
lists = [[text] for text in texts]
gc.collect()
gc.disable()
facts = {
    "pid": os.getpid(),
    "bytes": {id(text): sys.getsizeof(text) for text in texts},
    "lists": [id(each) for each in lists],
    "tracked": sum(type(each) is list for each in gc.get_objects()),
}
facts["blocks"] = sys.getallocatedblocks()
print(json.dumps(facts), flush=True)
sys.stdin.read()
print(json.dumps({"wrong": 0}), flush=True)
