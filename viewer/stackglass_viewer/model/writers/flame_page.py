"""Writer of a flame graph as a single HTML page that needs no other file and no network.

The page has the tree with the values of each sample type, and a script that lays it out, zooms,
searches and inverts it. The narrowest boxes of a large tree are left out; the page says how many.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from importlib import resources

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, UInt32s
from stackglass_viewer.model.graph.call_tree import add_up
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.name_parts import list_starts
from stackglass_viewer.model.units import find_scale, make_printable
from stackglass_viewer.model.writers.flame_picture import FlamePicture, PictureLook

MOST_NODES = 200_000
"""Most nodes of a page. Such a page has some 10 MB, and a browser draws it in a second."""

_TEMPLATE = resources.files("stackglass_resources") / "pages" / "flame.html"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def write_flame_page(
    pictures: Sequence[FlamePicture],
    title: str,
    about: str,
    look: PictureLook,
    most_nodes: int = MOST_NODES,
) -> bytes:
    """Return the page in UTF-8. ``pictures``: at least one, all of the same tree; the first is
    shown first. ``about``: the line beside the title. May run in any thread."""
    sizes = [_find_sizes(each) for each in pictures]
    kept, n_omitted = _choose_nodes(sizes, most_nodes)
    first = pictures[0]
    tree = first.tree
    number = np.full(tree.n_nodes + 1, -1, np.int32)  # parent −1, of the root
    number[kept] = np.arange(len(kept), dtype=np.int32)
    frames, frame = np.unique(tree.frame[kept], return_inverse=True)
    n_root = int(len(frames) > 0 and frames[0] < 0)
    shown = frames[n_root:]
    lines = first.frame_line
    one_node = np.zeros(len(frames), np.int64)
    one_node[frame] = kept
    names = [make_printable(tree.frame_name[each]) for each in shown]
    document = {
        "title": make_printable(title),
        "about": make_printable(about),
        "root": make_printable(first.root_name),
        "root_colour": _colour(first, 0),
        "is_upward": look.is_upward,
        "n_omitted": n_omitted,
        "names": names,
        "starts": [_list_starts(name) for name in names],
        "files": [make_printable(tree.frame_file[each]) for each in shown],
        "lines": lines[shown].tolist() if lines is not None else [0] * len(shown),
        "colours": [_colour(first, int(node)) for node in one_node[n_root:]],
        "parent": number[tree.parent[kept]].tolist(),
        "frame": (frame - n_root).tolist(),
        "types": [
            _describe_type(picture, size, kept, first.node_colour[one_node[frame]])
            for picture, size in zip(pictures, sizes, strict=True)
        ],
    }
    words = {
        "title": escape(make_printable(title)),
        "background": look.background,
        "text": look.text,
        "label": look.label,
        # In a script element only "<" could end the data.
        "data": json.dumps(document, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: words[found[1]], page).encode(errors="replace")


def _list_starts(name: str) -> list[int]:
    """Return where shorter names begin, in units of UTF-16, as JavaScript counts."""
    starts = list_starts(name)
    if name.isascii():
        return list(starts)
    return [len(name[:each].encode("utf-16-le", "surrogatepass")) // 2 for each in starts]


def _find_sizes(picture: FlamePicture) -> Int64s:
    """Return the width of each box: (n_nodes,) its total; for differences, of absolute values."""
    values = picture.values
    if not (values.own < 0).any():
        return values.total
    return add_up(picture.tree, np.abs(values.own), values.unit).total


def _choose_nodes(sizes: Sequence[Int64s], most: int) -> tuple[Int32s, int]:
    """Return the widest nodes, by the type in which each is widest, and the number of nodes with a
    value that are left out. A parent is at least as wide as its children and comes before them, so
    it is kept if one of them is."""
    share: Float64s = np.zeros(len(sizes[0]))
    for size in sizes:
        np.maximum(share, size / max(int(size[0]), 1), out=share)
    kept = np.argsort(-share, kind="stable")[:most]
    kept = kept[(share[kept] > 0) | (kept == 0)]
    kept.sort()
    return kept.astype(np.int32), int(np.count_nonzero(share)) - int(np.count_nonzero(share[kept]))


def _describe_type(
    picture: FlamePicture, size: Int64s, kept: Int32s, shared: UInt32s
) -> dict[str, object]:
    """Return a sample type. ``shared``: for each kept node, the colour that the page has for its
    function. If a label chooses the colours, a function has several."""
    values = picture.values
    is_difference = size is not values.total
    scale, factor = find_scale(values.unit)
    has_own_colours = is_difference or bool((picture.node_colour[kept] != shared).any())
    return {
        "name": make_printable(picture.name),
        "unit": make_printable(values.unit),
        "scale": scale,
        "factor": factor,
        "own": values.own[kept].tolist(),
        "total": values.total[kept].tolist(),
        "whole": picture.whole,
        "is_change": picture.is_change,
        "size": size[kept].tolist() if is_difference else None,
        "left": _list_places(picture, kept),
        "colours": [_colour(picture, node) for node in kept.tolist()] if has_own_colours else None,
    }


def _list_places(picture: FlamePicture, kept: Int32s) -> list[float] | None:
    """Return the left edge of each kept node; None = the boxes stand as the page places them, the
    widest callee first. By time or by name they do not, and calls over time have gaps."""
    layout, by_value = picture.layout, lay_out(picture.tree, picture.values)
    if np.array_equal(layout.node, by_value.node) and np.array_equal(layout.left, by_value.left):
        return None
    box = layout.box_of_node[kept]
    places: list[float] = np.where(box >= 0, layout.left[box], 0).tolist()
    return places


def _colour(picture: FlamePicture, node: int) -> str:
    return f"#{int(picture.node_colour[node]):06x}"
