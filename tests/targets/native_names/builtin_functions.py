"""Prints the built-in functions of loaded modules as JSON: path of the library, address relative
to its base, name."""

import _json  # noqa: F401
import ctypes
import json
import math  # noqa: F401
import sys
import types
import zlib  # noqa: F401


def list_libraries():
    """Return the paths of libraries by range of addresses."""
    bases, ranges = {}, []
    with open("/proc/self/maps") as lines:
        for line in lines:
            fields = line.split()
            if len(fields) > 5 and fields[5].startswith("/"):
                low, high = (int(each, 16) for each in fields[0].split("-"))
                bases.setdefault(fields[5], low - int(fields[2], 16))
                ranges.append((low, high, fields[5]))
    return bases, ranges


find = ctypes.pythonapi.PyCFunction_GetFunction
find.argtypes, find.restype = [ctypes.py_object], ctypes.c_void_p
bases, ranges = list_libraries()
rows = []
for module in list(sys.modules.values()):
    for value in list(vars(module).values()):
        if type(value) is types.BuiltinFunctionType and type(value.__self__) is types.ModuleType:
            address = find(value)
            for low, high, path in ranges:
                if low <= address < high:
                    rows.append((path, address - bases[path], address, value.__name__))
json.dump(rows, sys.stdout)
