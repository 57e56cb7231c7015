"""Time until the engine searches for newly loaded libraries: SO LIBRARY."""

import _ctypes
import sys
import time

from heap import core, report

USUAL_MS = 50


def look():
    core.native_alloc_maintain()
    return core.native_alloc_pause_ms(USUAL_MS)


def look_until_calm():
    """Return the pauses until the usual pause, and the time until then, in s."""
    began_s, pauses_ms = time.monotonic(), [look()]
    while pauses_ms[-1] < USUAL_MS and time.monotonic() - began_s < 30:
        time.sleep(pauses_ms[-1] / 1000)
        pauses_ms.append(look())
    return pauses_ms[:-1], time.monotonic() - began_s


assert core.cpu_prepare() is None
assert core.heap_prepare(time.monotonic_ns()) is None
refusal = core.native_alloc_redirect()
first, first_s = look_until_calm()
handle = _ctypes.dlopen(sys.argv[2], 0)
loaded, loaded_s = look_until_calm()
_ctypes.dlclose(handle)
unloaded_ms = look()
core.native_alloc_restore()
core.native_alloc_redirect()
again_ms = look()
core.native_alloc_restore()
core.heap_unprepare()
core.cpu_unprepare()
report(
    refusal=refusal,
    pauses_ms=[first, loaded],
    unloaded_ms=unloaded_ms,
    again_ms=again_ms,
    watched_s=[first_s, loaded_s],
)
