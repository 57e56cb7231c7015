"""Stackglass: a profiling engine for CPython.

Profiling the program that imports it, as Go's ``runtime/pprof`` does::

    with stackglass.cpu_profile("cpu.pb.gz"):
        ...

    stackglass.set_block_profile_rate(10_000)
    ...
    stackglass.lookup("block").write_to("block.pb.gz")
"""

from __future__ import annotations

import os

from stackglass.version import VERSION as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from stackglass import errors as errors
    from stackglass import metrics as metrics
    from stackglass.api.program import (
        FlightRecorder,
        Profile,
        allocs_profile,
        asgi_app,
        block_profile,
        block_profile_rate,
        cpu_profile,
        cpu_profile_rate,
        current_labels,
        do,
        gil_profile,
        gil_profile_rate,
        heap_profile,
        heap_profile_rate,
        labels,
        lookup,
        mutex_profile,
        mutex_profile_fraction,
        profiles,
        region,
        serve,
        set_block_profile_rate,
        set_cpu_profile_rate,
        set_gil_profile_rate,
        set_heap_profile_rate,
        set_labels,
        set_mutex_profile_fraction,
        set_stack_depth,
        set_threadcreate_profile_rate,
        start_cpu_profile,
        stop_cpu_profile,
        threadcreate_profile,
        threadcreate_profile_rate,
        wall_profile,
        withdraw_profile_rates,
        wsgi_app,
    )

__all__ = [
    "FlightRecorder",
    "Profile",
    "__version__",
    "allocs_profile",
    "asgi_app",
    "block_profile",
    "block_profile_rate",
    "cpu_profile",
    "cpu_profile_rate",
    "current_labels",
    "do",
    "gil_profile",
    "gil_profile_rate",
    "heap_profile",
    "heap_profile_rate",
    "labels",
    "lookup",
    "mutex_profile",
    "mutex_profile_fraction",
    "profiles",
    "region",
    "serve",
    "set_block_profile_rate",
    "set_cpu_profile_rate",
    "set_gil_profile_rate",
    "set_heap_profile_rate",
    "set_labels",
    "set_mutex_profile_fraction",
    "set_stack_depth",
    "set_threadcreate_profile_rate",
    "start_cpu_profile",
    "stop_cpu_profile",
    "threadcreate_profile",
    "threadcreate_profile_rate",
    "wall_profile",
    "withdraw_profile_rates",
    "wsgi_app",
]
_MODULES = ("errors", "metrics")  # of the API, so that `import stackglass` is enough


def _load(name: str) -> Any:
    from importlib import import_module  # here for start-up time: every command imports this

    return import_module(name)


def __getattr__(name: str) -> object:
    """Import the API at its first use. Every command imports this package and needs no API, which
    would double its start-up time."""
    if name in _MODULES:
        return _load(f"{__name__}.{name}")  # the import makes it an attribute
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(_load("stackglass.api.program"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


def load_ipython_extension(shell: object) -> None:
    """Register the magics. IPython calls this function for ``%load_ext stackglass``."""
    _load("stackglass.ipython_magic.magic").register(shell)


if os.environ.get("STACKGLASS_PROFILE") or os.environ.get("STACKGLASS_VIEW"):
    _load("stackglass.environment").begin_requested()
