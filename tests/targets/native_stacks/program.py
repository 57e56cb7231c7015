"""Runs functions of libraries with known stacks: program.py SECONDS LIBRARY:FUNCTION …

Each is called by a Python function of its name with ``py_`` in front. The engine decodes code
without unwind rows after its first sample, so another function calls it before.
"""

import ctypes
import sys
import time

FOR_TABLES_S = 1.0  # in which the engine makes the tables of native stacks

DECODED = ("_without_rows", "_made")
FOR_DECODING_S = ctypes.c_double(0.6)

seconds = ctypes.c_double(float(sys.argv[1]))
places = [word.rpartition(":") for word in sys.argv[2:]]
libraries = {path: ctypes.CDLL(path) for path, _, _ in places}
time.sleep(FOR_TABLES_S)


def spin_again():
    next(iter(libraries.values())).plain_spin(seconds)


back = ctypes.CFUNCTYPE(None)(spin_again)
for path, _, name in places:
    if name.endswith(DECODED):
        libraries[path][name](FOR_DECODING_S)
    argument = "back" if name == "call_back" else "seconds"
    exec(f"def py_{name}(): libraries[{path!r}].{name}({argument})\npy_{name}()")
