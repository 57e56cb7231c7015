"""Stackglass: a profiling engine for CPython.

Profiling the program that imports it::

    stackglass.start_cpu_profile("cpu.pb.gz")
    ...
    stackglass.stop_cpu_profile()
"""

from __future__ import annotations

from stackglass.api.cpu_profile import CpuProfiler
from stackglass.native import _core
from stackglass.version import VERSION as __version__

_cpu = CpuProfiler(_core)

start_cpu_profile = _cpu.start
stop_cpu_profile = _cpu.stop
set_cpu_profile_rate = _cpu.set_rate

__all__ = [
    "__version__",
    "set_cpu_profile_rate",
    "start_cpu_profile",
    "stop_cpu_profile",
]
