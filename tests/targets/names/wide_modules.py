"""Modules of many classes with equally many attributes, searched in slices of no time."""

import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from probe import load_core, report

core = load_core()

N_CLASSES, N_ATTRIBUTES = 2000, 31  # a class and its attributes are 32 steps
MODULES = ("wide_0", "wide_1", "wide_2")


def make_module(name):
    module = types.ModuleType(name)
    variables = {"__module__": name}
    n_own = len(vars(type("C", (), dict(variables))))
    variables.update((f"v{n}", n) for n in range(N_ATTRIBUTES - n_own))
    for n in range(N_CLASSES):
        setattr(module, f"C{n}", type(f"C{n}", (), dict(variables)))
    assert len(vars(module.C0)) == N_ATTRIBUTES
    return module


def count_slices():
    return core.find_function_names((0x1000,), 1)[1]


core.cpu_prepare()
made = [make_module(name) for name in MODULES]
# The modules begin at different places between two multiples of 64 steps.
made[1].one = made[2].one = made[2].two = 1
n_before = count_slices()
sys.modules.update(zip(MODULES, made))
n_after = count_slices()
core.cpu_unprepare()
report(n_slices=n_after - n_before, n_classes=len(MODULES) * N_CLASSES)
