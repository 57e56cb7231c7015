"""Sets a heap rate at each line that it reads, reports how that went, and allocates meanwhile."""

from __future__ import annotations

import mmap
import sys
import threading

import stackglass
from stackglass.errors import EngineError


def allocate() -> None:
    while True:
        mmap.mmap(-1, 1 << 16).close()
        bytearray(10_000)


threading.Thread(target=allocate, daemon=True).start()
print("begun", flush=True)
for _ in sys.stdin:
    try:
        stackglass.set_heap_profile_rate(4096)
        print("set", flush=True)
    except EngineError as problem:
        print(problem, flush=True)
