"""Stackglass: a profiling engine for CPython, and the command that drives it.

What a program can call::

    import stackglass

    stackglass.start_cpu_profile("cpu.pb.gz")
    work()
    stackglass.stop_cpu_profile()
"""

from stackglass.engine.cpu import set_cpu_profile_rate, start_cpu_profile, stop_cpu_profile
from stackglass.version import VERSION as __version__

__all__ = ["__version__", "set_cpu_profile_rate", "start_cpu_profile", "stop_cpu_profile"]
