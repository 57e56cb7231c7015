"""Calls a C library; a module has one of its functions as an attribute."""

import ctypes
import importlib.machinery
import importlib.util
import sys
import types

core_path, library_path, seconds = sys.argv[1:]
loader = importlib.machinery.ExtensionFileLoader("_core_testing", core_path)
spec = importlib.util.spec_from_file_location("_core_testing", core_path, loader=loader)
core = importlib.util.module_from_spec(spec)
loader.exec_module(core)

library = ctypes.CDLL(library_path)
app = types.ModuleType("app")
sys.modules["app"] = app
address = ctypes.cast(library.work_exported, ctypes.c_void_p).value
app.scale = core.make_nanobind("scale", address, 0)

for _ in range(int(seconds)):
    library.work_exported(ctypes.c_long(5_000_000))
