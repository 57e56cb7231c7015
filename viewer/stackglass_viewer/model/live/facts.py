"""Facts about the program of a session, as opposed to its profiles."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The facts so far. Immutable."""

    executable: str  # the program's file; "" = not known yet
    latest: int  # moment of the last report, units of 10 ms since the session's start
    has_native: bool  # whether functions of machine code have been recorded
