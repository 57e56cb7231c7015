"""Compare choice: how the user wants two profiles compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shown = Literal["all", "changes"]


@dataclass(frozen=True, slots=True)
class CompareChoice:
    """How two profiles are compared."""

    shown: Shown = "all"
    is_scaled: bool = False  # whether the profile is scaled to the sums of the base
    is_swapped: bool = False  # whether the base and the profile have changed places
