"""Exceptions of the viewer, as one tree. On the command line each is one line, and exit code 1.

ViewerError
├── ContentError          content cannot be read, or not be used as asked
├── RemoteError           a server cannot be reached, or does not answer with a profile
├── SampleTypeError       a profile has no values of the kind asked for
├── PatternError          a pattern is not a regular expression
└── CancelledError        the result is no longer wanted
"""

from __future__ import annotations

from stackglass.errors import StackglassError


class ViewerError(StackglassError):
    """An error with what failed and why (``message``), and what helps (``remedy``, may be "")."""


class ContentError(ViewerError):
    """Content cannot be read, is of no known format, or is damaged; or what was read cannot be
    shown, added up, compared or written as asked."""


class RemoteError(ViewerError):
    """A server cannot be reached, or does not answer with a profile."""


class SampleTypeError(ViewerError):
    """A profile has no values of the kind that was asked for."""


class PatternError(ViewerError):
    """A pattern is not a regular expression."""


class CancelledError(ViewerError):
    """The work was cancelled because its result is no longer wanted."""

    def __init__(self) -> None:
        super().__init__("cancelled")
