"""What a session knows of its program, besides what is counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFacts:
    executable: str  # the program's file; "" = not known yet
    has_native: bool  # machine code is among its functions
