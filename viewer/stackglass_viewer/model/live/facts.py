"""Facts about the program of a session, as opposed to its profiles."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The facts so far. Immutable."""

    executable: str  # the program's file; "" = not known yet
    has_native: bool  # whether functions of machine code have been recorded
