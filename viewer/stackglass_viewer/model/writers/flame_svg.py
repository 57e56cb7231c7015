"""Flame graph as an SVG picture: every box with its name as text, so that it can be searched.

Names are not shortened but clipped at the edges of their box, so that a search finds the whole
name. If there is room for a part only, the end is shown, which says most. Values are in tool tips.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from stackglass_viewer.model.graph.name_parts import find_start
from stackglass_viewer.model.units import format_change, format_share, format_value, make_printable
from stackglass_viewer.model.writers.flame_picture import FlamePicture, PictureLook

_WIDTH_PX = 1600
_LEAST_PX = 0.1  # least width of a box, so a row has at most 16 000 boxes
_LEAST_LABEL_PX = 20
_ROW_PX, _GAP_PX = 20, 1
_HEAD_PX, _MARGIN_PX = 44, 10
_TEXT_PX, _CHAR_PX, _INSET_PX = 12, 7.2, 5
_SURROGATES = range(0xD800, 0xE000)  # XML does not allow them


def write_flame_svg(picture: FlamePicture, title: str, about: str, look: PictureLook) -> bytes:
    """Return a picture of the whole graph, 1600 pixels wide. May run in any thread. ``about``: the
    line below the title. Boxes narrower than a tenth of a pixel are left out.
    """
    n_rows = picture.layout.n_rows
    height_px = _HEAD_PX + n_rows * _ROW_PX + _MARGIN_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH_PX}" height="{height_px}" '
        f'viewBox="0 0 {_WIDTH_PX} {height_px}" font-family="monospace" font-size="{_TEXT_PX}">',
        f"<title>{_text(title)}</title>",
        f'<rect width="100%" height="100%" fill="{look.background}"/>',
        f'<text x="{_MARGIN_PX}" y="18" font-size="15" fill="{look.text}">{_text(title)}</text>',
        f'<text x="{_MARGIN_PX}" y="36" fill="{look.text}">{_text(about)}</text>',
        f'<g fill="{look.label}">',
    ]
    for row in range(n_rows):
        level = n_rows - 1 - row if look.is_upward else row
        parts.extend(_write_row(picture, row, _HEAD_PX + level * _ROW_PX))
    parts.append("</g></svg>\n")
    return "\n".join(parts).encode()


def _write_row(picture: FlamePicture, row: int, y_px: int) -> Iterator[str]:
    layout = picture.layout
    boxes = slice(int(layout.row_start[row]), int(layout.row_start[row + 1]))
    scale = (_WIDTH_PX - 2 * _MARGIN_PX) / layout.extent if layout.extent > 0 else 0.0
    left_px = layout.left[boxes] * scale + _MARGIN_PX
    width_px = (layout.right[boxes] - layout.left[boxes]) * scale
    for index in np.flatnonzero(width_px >= _LEAST_PX).tolist():
        node = int(layout.node[boxes][index])
        yield _write_box(picture, node, float(left_px[index]), float(width_px[index]), y_px)


def _write_box(picture: FlamePicture, node: int, left_px: float, width_px: float, y_px: int) -> str:
    name, file = picture.name_of(node), picture.place_of(node)
    total = int(picture.values.total[node])
    share = format_share(abs(total / picture.whole)) if picture.whole else ""
    write = format_change if picture.is_change else format_value
    tip = f"{name}\n{file}\n" if file else f"{name}\n"
    tip = f"{_lines(tip)}{_text(write(total, picture.values.unit))}, {share}"
    shown_px = max(width_px - _GAP_PX, min(width_px, 0.5))
    box = (
        f'<g><title>{tip}</title><rect x="{left_px:.2f}" y="{y_px}" width="{shown_px:.2f}" '
        f'height="{_ROW_PX - _GAP_PX}" fill="#{int(picture.node_colour[node]):06x}"/>'
    )
    if width_px < _LEAST_LABEL_PX:
        return box + "</g>"
    return f"{box}{_write_label(picture.sign_of(node), name, left_px, y_px, shown_px)}</g>"


def _write_label(sign: str, name: str, left_px: float, y_px: int, shown_px: float) -> str:
    """Return the name. If there is no room for all, it is moved to the left and its beginning is
    clipped."""
    n_chars = int((shown_px - 2 * _INSET_PX) / _CHAR_PX) - len(sign)
    start = find_start(name, n_chars)
    begin_px = left_px + _INSET_PX
    if not start:
        text = f'<text y="14">{sign}{_text(name)}</text>'
        return _clip(text, begin_px, y_px, shown_px - _INSET_PX)
    mark = f'<text x="{begin_px:.2f}" y="{y_px + 14}">{sign}</text>' if sign else ""
    taken_px = len(sign) * _CHAR_PX
    # Letters of another fixed-width face are moved to where these would be.
    geometry = f'x="{-start * _CHAR_PX:.1f}" y="14" textLength="{len(name) * _CHAR_PX:.1f}"'
    text = f"<text {geometry}>{_text(name)}</text>"
    return mark + _clip(text, begin_px + taken_px, y_px, shown_px - _INSET_PX - taken_px)


def _clip(text: str, left_px: float, y_px: int, width_px: float) -> str:
    geometry = f'x="{left_px:.2f}" y="{y_px}" width="{max(width_px, 0):.2f}" height="{_ROW_PX}"'
    return f"<svg {geometry}>{text}</svg>"


def _lines(text: str) -> str:
    return "\n".join(_text(line) for line in text.split("\n"))


def _text(text: str) -> str:
    """Escape a text for XML. Characters that XML or a line cannot hold are replaced."""
    printable = make_printable(text)
    clean = "".join("\ufffd" if ord(letter) in _SURROGATES else letter for letter in printable)
    return escape(clean)
