"""Errors of an attach: why a process cannot be entered, each with a remedy.

AttachError
├── NoSuchProcessError       no process has that PID (any more)
├── NotPythonError           no Python in it
├── UnsupportedPythonError   a version, build or processor that the engine does not know
├── NotAllowedError          the system forbids tracing it
│   ├── TraceDeniedError     refused by ptrace: forbidden, or another tracer came first
│   └── FilteredError        its system call filter (seccomp) would end it
├── BusyTargetError          stopped, or never at a point that can be used
│   ├── StoppedError         stopped by a signal
│   ├── ReplacedError        executed another program meanwhile
│   └── TracedError          traced by another process
├── UnreachableError         sees other files: a container, another mount namespace
├── InjectionError           the attempt was made and failed; the target goes on
└── ConnectionLostError      the engine has left, or the process has ended
"""

from __future__ import annotations

from stackglass.errors import AttachError


class NoSuchProcessError(AttachError):
    """No process has that PID, or it has ended."""


class NotPythonError(AttachError):
    """There is no Python in the process."""


class UnsupportedPythonError(AttachError):
    """A Python that the engine does not know: its version, its build, its word size."""


class NotAllowedError(AttachError):
    """The system forbids tracing the process."""


class TraceDeniedError(NotAllowedError):
    """ptrace was refused: it is forbidden, or another tracer came first."""


class FilteredError(NotAllowedError):
    """The process's system call filter forbids a call that the engine needs, or may forbid it."""


class BusyTargetError(AttachError):
    """The process is stopped, or another tracer holds it, or no thread of it could be used."""


class StoppedError(BusyTargetError):
    """The process is stopped by a signal (Ctrl-Z)."""


class ReplacedError(BusyTargetError):
    """The process has executed another program while it was being entered, or so it seems."""


class TracedError(BusyTargetError):
    """Another tracer holds the process."""


class UnreachableError(AttachError):
    """The process does not see the library at its path."""


class InjectionError(AttachError):
    """The attempt was made and failed. The target goes on as before."""


class ConnectionLostError(AttachError):
    """The engine has left the process, or the process has ended."""

    is_killed = False
    """Whether a signal ended the process, or it ended suddenly for an unknown reason."""
