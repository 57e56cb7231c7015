"""Sentences that say what was copied to the clipboard."""

from __future__ import annotations

from stackglass_viewer.model.units import format_quantity

COPIED = {
    "cell": "Copied the cell.",
    "name": "Copied the name.",
    "picture": "Copied the picture of this view.",
    "place": "Copied the file and line.",
    "stack": "Copied the stack.",
}
"""By what was copied."""


def say_copied_rows(n_rows: int) -> str:
    """Say how many rows of a table were copied."""
    return f"Copied {format_quantity(n_rows, 'row')}."
