"""The error of this package."""

from __future__ import annotations


class DwarfError(Exception):
    """DWARF that is damaged, or of a kind that is not read. Never leaves this package."""
