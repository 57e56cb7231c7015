"""Changes between two profiles, as text and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.change_table import Change, ChangeTable


def write_changes(
    table: ChangeTable, rows: Sequence[Change], show: Callable[[int], str]
) -> Iterator[str]:
    """Return the lines. ``show`` formats a value. Shares have a sign: + is growth."""
    yield (
        f"{'flat':>11} {'flat%':>8} {'cum':>11} {'cum%':>8} {'cum before':>11} {'cum after':>11}"
        "  name"
    )
    if not rows:
        yield "nothing changed"
    whole = table.total_before
    for row in rows:
        yield (
            f"{_sign(row.flat, show):>11} {format_growth(row.flat, whole):>8} "
            f"{_sign(row.cum, show):>11} {format_growth(row.cum, whole):>8} "
            f"{show(row.cum_before):>11} {show(row.cum_after):>11}  {make_printable(row.name)}"
        )


def format_growth(change: int, whole: int) -> str:
    """Return a change as a share of ``whole`` with its sign; ``new`` or ``-`` if ``whole`` is 0."""
    if not change:
        return "0.00%"
    return f"{100 * change / abs(whole):+.2f}%" if whole else "new" if change > 0 else "-"


def _sign(change: int, show: Callable[[int], str]) -> str:
    return f"+{show(change)}" if change > 0 else show(change)


def describe_changes(rows: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the changes for JSON."""
    return [row._asdict() | {"flat": row.flat, "cum": row.cum} for row in rows]
