"""A call tree as a static flame graph: SVG without scripts, for a page or a file of its own.

The root is on top. Positions are shares of the width, so that the graph fits any page while letters
keep their size. A box has its function's whole name as text, which a browser's search finds; the
box's own frame clips it. The tool tip of a box has name, place, value and share.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from xml.sax.saxutils import escape

from stackglass.graph.tree import Box, BoxTree
from stackglass.named_tuple import NamedTuple

_ROW_PX = 18
_HEAD_PX = 24
_GAP_PX = 1
_LEAST_SHARE = 0.0005  # narrower boxes would be less than a pixel
_LEAST_TEXT_SHARE = 0.01
_MOST_ROWS = 300
_SATURATION, _LIGHTNESS = 55, 74  # of boxes; black text on them has a contrast of 8 or more
_TYPED_IN = re.compile(r"(?:<[^>]*>|__main__)\.(?=.)")  # module prefix of code that was typed in
_STYLE = (
    ".sg text{font:12px ui-monospace,monospace;fill:#111}.sg>text{fill:currentColor}"
    ".sg .b:hover rect{stroke:#111}"
)


class _Placed(NamedTuple):
    """A box and the place where it is drawn."""

    box: Box
    row: int
    left: float  # shares of the width
    width: float


def draw(tree: BoxTree, title: str) -> str:
    """Return an ``svg`` element. ``title`` stands above the boxes, with the total.

    At most 300 rows are drawn. Boxes narrower than 1/2000 of the width are counted, not drawn.
    """
    placed = list(_place(tree))
    drawn = [each for each in placed if each.width >= _LEAST_SHARE and each.row < _MOST_ROWS]
    n_rows = max((each.row for each in drawn), default=0) + 1
    height = _HEAD_PX + n_rows * _ROW_PX
    n_left_out = len(placed) - len(drawn)
    head = f"{title}: {describe_total(tree)} ({tree.sample_type})"
    if n_left_out:
        head += f"; {n_left_out} boxes are too small to be drawn"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sg" width="100%" height="{height}" '
            'role="img">',
            f"<style>{_STYLE}</style>",
            f'<text x="2" y="16">{_clean(head)}</text>',
            *(_draw_box(each, tree) for each in drawn),
            "</svg>",
        ]
    )


def describe_total(tree: BoxTree) -> str:
    """Return the value of all stacks for people; ``no samples`` if there are none."""
    return format_value(tree.root.total, tree.unit) if tree.root.callees else "no samples"


def format_value(value: int, unit: str) -> str:
    """Return a value for people: ``1.23 s``, ``4.5 MiB``, ``12``."""
    if unit == "nanoseconds":
        for size, name in ((1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs")):
            if value >= size:
                return f"{value / size:.2f} {name}"
        return f"{value} ns"
    if unit == "bytes":
        for shift, name in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
            if value >= 1 << shift:
                return f"{value / (1 << shift):.1f} {name}"
        return f"{value} B"
    return str(value)


def _place(tree: BoxTree) -> Iterator[_Placed]:
    """Yield callers before callees, with the largest callee on the left."""
    if not tree.root.total:
        return
    waiting = [_Placed(tree.root, 0, 0.0, 1.0)]
    while waiting:
        placed = waiting.pop()
        yield placed
        left = placed.left
        for callee in placed.box.list_callees():
            width = callee.total / tree.root.total
            if callee.total:
                waiting.append(_Placed(callee, placed.row + 1, left, width))
            left += width


def _draw_box(placed: _Placed, tree: BoxTree) -> str:
    function = placed.box.function
    y = _HEAD_PX + placed.row * _ROW_PX
    name = _clean(_TYPED_IN.sub("", function.name))
    place = f"\n{function.file}:{function.line}" if function.line else f"\n{function.file}"
    value = format_value(placed.box.total, tree.unit)
    share = placed.box.total / tree.root.total
    tip = f"{function.name}{place if function.file else ''}\n{value}, {share:.1%}"
    text = f'<text x="3" y="13">{name}</text>' if placed.width >= _LEAST_TEXT_SHARE else ""
    return (
        f'<svg class="b" x="{placed.left:.4%}" y="{y}" width="{placed.width:.4%}" '
        f'height="{_ROW_PX - _GAP_PX}"><title>{_clean(tip, keeps_lines=True)}</title>'
        f'<rect width="100%" height="100%" rx="2" fill="{_choose_colour(function.name)}"/>'
        f"{text}</svg>"
    )


def _choose_colour(name: str) -> str:
    """Return a colour by the first part of the module's name, so that a package has one colour."""
    if name.startswith("<") and _TYPED_IN.sub("", name).startswith("<"):
        return "#d0d0d0"
    hue = zlib.crc32(name.partition(".")[0].encode("utf-8", "replace")) % 360
    return f"hsl({hue},{_SATURATION}%,{_LIGHTNESS}%)"


def _clean(text: str, keeps_lines: bool = False) -> str:
    """Return the text escaped for XML. Characters that are not printable become ``?``."""
    return escape(
        "".join(c if c.isprintable() or (keeps_lines and c == "\n") else "?" for c in text)
    )
