"""The allocator without the GIL as the engine sees it, while tracemalloc is started and stopped."""

import importlib

from probe import load_core, report

core = load_core()
looks = [core.raw_allocator()]
tracemalloc = importlib.import_module("tracemalloc")  # up to 3.11, from here on it may be on
tracemalloc.start()
looks.append(core.raw_allocator())
tracemalloc.stop()
looks.append(core.raw_allocator())
report(looks=looks)
