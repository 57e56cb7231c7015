"""Calls each function of an extension module a number of times."""

import importlib
import sys

sys.path.insert(0, sys.argv[1])
module = importlib.import_module(sys.argv[2])
N = 2_000_000


def call_all():
    module.spin(N)
    if hasattr(module, "both"):
        module.both(N, 1)
        module.both(float(N))
    if hasattr(module, "Vec"):
        module.Vec().norm(N)
    if hasattr(module, "Plain"):
        module.Plain().turn(N)
        module.Fast().roll(N)


for _ in range(int(sys.argv[3])):
    call_all()
