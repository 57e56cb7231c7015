"""Runs functions of libraries whose stacks are known: program.py SECONDS LIBRARY:FUNCTION …

Each is called by a Python function of its name with ``py_`` in front.
"""

import ctypes
import sys
import time

FOR_TABLES_S = 1.0  # the engine makes the tables of native stacks meanwhile

seconds = ctypes.c_double(float(sys.argv[1]))
places = [word.rpartition(":") for word in sys.argv[2:]]
libraries = {path: ctypes.CDLL(path) for path, _, _ in places}
time.sleep(FOR_TABLES_S)


def spin_again():
    next(iter(libraries.values())).plain_spin(seconds)


back = ctypes.CFUNCTYPE(None)(spin_again)
for path, _, name in places:
    argument = "back" if name == "call_back" else "seconds"
    exec(f"def py_{name}(): libraries[{path!r}].{name}({argument})\npy_{name}()")
