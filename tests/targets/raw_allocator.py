"""The raw allocator as the engine sees it, while tracemalloc is started and stopped.

Before that, NAMES more modules are added to sys.modules, and with OTHER a key that is no text.
"""

import importlib
import os
import sys

from probe import load_core, report

core = load_core()
n_names = int(os.environ.get("NAMES", "0"))
names = [f"module {number}" for number in range(n_names)]
sys.modules.update((name, sys) for name in names)
for name in names[::3]:
    del sys.modules[name]
if os.environ.get("OTHER"):
    sys.modules[7] = sys
looks = [core.raw_allocator()]
tracemalloc = importlib.import_module("tracemalloc")  # from here on it may be on
tracemalloc.start()
looks.append(core.raw_allocator())
tracemalloc.stop()
looks.append(core.raw_allocator())
report(looks=looks)
