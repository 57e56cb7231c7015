"""Functions with C code in modules, and the names that the engine finds for them."""

import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from probe import load_core, report

core = load_core()

CODES = tuple(range(0x1000, 0xA000, 0x1000))
DISPATCHER = 0xA000
code = (lambda: None).__code__

module = types.ModuleType("app_core")
sys.modules["app_core"] = module
other = types.ModuleType("app_other")
sys.modules["app_other"] = other
Vec = type("Vec", (), {"__module__": "app_core"})

spin = core.make_cython("Plain.spin", code, CODES[0])
module.spin = spin
other.renamed = spin  # the same function: it has its own name
module.add = core.make_pybind11("add", CODES[1:3], 13, False)
Vec.norm = core.make_pybind11("norm", CODES[3:4], 12, False)
Vec.size = property(core.make_pybind11("", CODES[4:5], 13, False))
Vec.make = staticmethod(core.make_pybind11("make", CODES[8:9], 13, False))
module.scale = core.make_nanobind("scale", CODES[5], DISPATCHER)
module.one = core.make_pybind11("one", CODES[6:7], 13, False)
module.two = core.make_pybind11("two", CODES[6:7], 13, False)  # both have one code: no name
module.wrong = core.make_pybind11("wrong", CODES[7:8], 13, True)  # of another layout
module.Vec = other.Vec = Vec

# Objects that only look like such functions, or like what wraps them.
other.cython_function_or_method = type("cython_function_or_method", (), {"a": 1})()
other.nb_func = type("nb_func", (), {})()
for name in ("staticmethod", "classmethod", "instancemethod", "pybind11_static_property"):
    setattr(other, name, type(name, (), {"__slots__": ("first", "second")})())
    setattr(other, f"{name}_with_values", type(name, (), {})())
other.text, other.number = "text", 7

core.cpu_prepare()
names, n_slices = core.find_function_names((*CODES, DISPATCHER), 10**9)
few, n_few = core.find_function_names((*CODES, DISPATCHER), 1)
core.cpu_unprepare()
report(
    names={f"{key:#x}": value for key, value in names.items()},
    file=code.co_filename,
    line=code.co_firstlineno,
    is_same=few == names,
    is_sliced=n_few > n_slices,
)
