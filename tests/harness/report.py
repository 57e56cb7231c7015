"""Tables that tests fill, and that a run prints at its end."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Table:
    """Cells by row and column; rows and columns in order of first mention."""

    title: str
    corner: str = ""
    is_listing: bool = False  # printed only with --list-checklist
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # lines below the table

    def put(self, row: str, column: str, text: str) -> None:
        """Set a cell; the last one wins."""
        if row not in self.rows:
            self.rows.append(row)
        if column not in self.columns:
            self.columns.append(column)
        self.cells[row, column] = text

    def find_absent(self) -> list[tuple[str, str]]:
        """Cells without a value."""
        every = [(row, column) for row in self.rows for column in self.columns]
        return [place for place in every if place not in self.cells]

    def format_lines(self) -> list[str]:
        """The table as aligned text."""
        head = [self.corner, *self.columns]
        body = [
            [row, *(self.cells.get((row, column), "ABSENT") for column in self.columns)]
            for row in self.rows
        ]
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in (head, *body)
        ]
        return [*lines, *self.notes]
