"""Compare choice of a tab's user: how two profiles are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shown = Literal["all", "changes"]


@dataclass(frozen=True, slots=True)
class CompareChoice:
    """How the two are compared."""

    shown: Shown = "all"
    is_scaled: bool = False  # the profile has the sums of the base
    is_swapped: bool = False
