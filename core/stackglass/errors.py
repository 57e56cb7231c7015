"""Errors: the base classes of the package's own exceptions.

StackglassError
├── UsageError          the command line makes no sense; exit code 2
├── MissingExtraError   a command needs packages that are not installed
├── NativeError         the extension is absent or does not fit
├── WireError           bytes that are no valid message
├── AttachError         a process cannot be entered, or has ended
├── EngineError         the engine in this process cannot do what was asked
├── ProfileError        a profile does not allow what was asked of it
└── OutputError         a result cannot be written
"""

from __future__ import annotations


class StackglassError(Exception):
    """Base of the errors. ``message``: what failed and why; ``remedy``: what to do, may be empty.

    ``str()`` is one line, which can be shown to the user.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.message}: {self.remedy}" if self.remedy else self.message
        return " ".join(text.split())


class UsageError(StackglassError):
    """The command line makes no sense."""


class MissingExtraError(StackglassError):
    """A command needs packages that are not installed."""


class NativeError(StackglassError):
    """The extension is absent, or of another version than this code."""


class WireError(StackglassError):
    """Bytes that are no valid message: truncated, mismatched, or of absurd length."""


class AttachError(StackglassError):
    """A process cannot be entered, or has ended."""


class EngineError(StackglassError):
    """The engine in this process cannot do what was asked."""


class ProfileError(StackglassError):
    """A profile does not allow what was asked of it: where Go panics."""


class OutputError(StackglassError):
    """A result cannot be written where it was asked for."""
