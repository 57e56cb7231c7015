"""Makes numpy arrays of 1 GiB and drops them. Obeys its input, a word a line:

``make``  one more; its pages are not touched. Answers with the line that makes it
``drop``  drop all
``?``     any other word: answer
"""

import json
import os
import sys

from rounds import announce, digest

try:
    import numpy
except ImportError:
    numpy = None

GIB = 1 << 30
kept = []


def make_array():
    return numpy.empty(GIB, dtype=numpy.uint8)


announce(ready="numpy_array", pid=os.getpid(), has_numpy=numpy is not None)
for line in sys.stdin:
    word = line.strip()
    answer = {"word": word, "line": make_array.__code__.co_firstlineno + 1}
    if word == "make":
        try:
            kept.append(make_array())
        except MemoryError:
            answer["is_refused"] = True
    elif word == "drop":
        kept.clear()
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
announce(result=digest("numpy_array"), rounds=1, wrong=0)
