"""Everything that can go wrong in the viewer, as one tree.

ViewerError               an error of the command line too: one line, exit code 1
├── ProfileError          a file cannot be shown as a profile
├── SampleTypeError       a profile has no values of the kind asked for
├── PatternError          what was typed is no regular expression
└── CancelledError        whoever asked for it does not want it any more
"""

from __future__ import annotations

from stackglass.errors import StackglassError


class ViewerError(StackglassError):
    """What failed and why (``message``), and what helps (``remedy``, may be empty)."""


class ProfileError(ViewerError):
    """A file cannot be read, is of no known format, or is damaged."""


class SampleTypeError(ViewerError):
    """A profile has no values of the kind that was asked for."""


class PatternError(ViewerError):
    """What was typed is no regular expression."""


class CancelledError(ViewerError):
    """The work was given up because nobody waits for it any more."""

    def __init__(self) -> None:
        super().__init__("cancelled")
