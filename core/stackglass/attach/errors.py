"""Why a process cannot be entered, each reason with what helps.

AttachError
├── NoSuchProcessError       nobody has that PID (any more)
├── NotPythonError           no Python in it
├── UnsupportedPythonError   a version, build or processor that the engine does not know
├── NotAllowedError          the system does not let us trace it
│   ├── TraceDeniedError     so it said when asked to: forbidden, or another has just come first
│   └── FilteredError        its system call filter (seccomp) would end it
├── BusyTargetError          stopped, or never at a point that can be used
│   └── TracedError          traced by another
├── UnreachableError         its files are not ours: a container, another mount namespace
├── InjectionError           the attempt was made and failed; the target goes on
└── ConnectionLostError      the engine there, or the process, has left
"""

from __future__ import annotations

from stackglass.errors import AttachError


class NoSuchProcessError(AttachError):
    """Nobody has that PID, or it has ended."""


class NotPythonError(AttachError):
    """There is no Python in the process."""


class UnsupportedPythonError(AttachError):
    """A Python that the engine does not know: its version, its build, its word size."""


class NotAllowedError(AttachError):
    """The system does not let us trace the process."""


class TraceDeniedError(NotAllowedError):
    """The system refused when it was asked to: it forbids that, or another tracer came first."""


class FilteredError(NotAllowedError):
    """The process's system call filter forbids what the engine needs, or may."""


class BusyTargetError(AttachError):
    """The process is stopped, or another tracer holds it, or no thread of it could be used."""


class TracedError(BusyTargetError):
    """Another tracer holds the process."""


class UnreachableError(AttachError):
    """The process does not see our files where we see them."""


class InjectionError(AttachError):
    """The attempt was made and failed. The target goes on as before."""


class ConnectionLostError(AttachError):
    """The engine in the process, or the process, has left."""
