"""Stackglass: a profiling engine for CPython, and the command that drives it."""

from stackglass.version import VERSION as __version__

__all__ = ["__version__"]
