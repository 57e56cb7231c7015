"""The static flame graph, read as XML."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from stackglass.graph.svg import draw, format_value
from stackglass.graph.tree import Box, BoxTree, Function

SVG = "{http://www.w3.org/2000/svg}"


def make_box(name: str, total: int, *callees: Box, file: str = "", line: int = 0) -> Box:
    box = Box(Function(name, file, line))
    box.total = total
    box.callees = {callee.function: callee for callee in callees}
    return box


def read(tree: BoxTree, title: str = "cpu") -> tuple[str, list[tuple[str, str, str, str, str]]]:
    """The headline; by box: text, left edge, top, width, tool tip."""
    root = ElementTree.fromstring(draw(tree, title))
    boxes = [
        (
            each.findtext(f"{SVG}text", ""),
            each.attrib["x"],
            each.attrib["y"],
            each.attrib["width"],
            each.findtext(f"{SVG}title", ""),
        )
        for each in root.findall(f"{SVG}svg")
    ]
    return root.findtext(f"{SVG}text", ""), boxes


def test_boxes_are_as_wide_as_their_value() -> None:
    main = make_box("app.main", 3_000, make_box("app.f", 1_000, file="app.py", line=7))
    tree = BoxTree(make_box("all", 4_000, make_box("x.g", 1_000), main), "cpu", "nanoseconds")
    head, boxes = read(tree)
    assert head == "cpu: 4.00 µs (cpu)"
    assert sorted(boxes) == [
        ("all", "0.0000%", "24", "100.0000%", "all\n4.00 µs, 100.0%"),
        ("app.f", "0.0000%", "60", "25.0000%", "app.f\napp.py:7\n1.00 µs, 25.0%"),
        ("app.main", "0.0000%", "42", "75.0000%", "app.main\n3.00 µs, 75.0%"),
        ("x.g", "75.0000%", "42", "25.0000%", "x.g\n1.00 µs, 25.0%"),
    ]


def test_a_tree_without_stacks_says_so() -> None:
    assert read(BoxTree(make_box("all", 0), "cpu", "nanoseconds")) == ("cpu: no samples (cpu)", [])


def test_names_are_text_whatever_is_in_them() -> None:
    name = 'm.<lambda>&"]]>\x00\x1b[0m\ud800'
    tree = BoxTree(make_box("all", 1, make_box(name, 1)), "n", "count")
    _, boxes = read(tree, "<cell> & co")
    assert [box[0] for box in boxes] == ["all", 'm.<lambda>&"]]>??[0m?']
    tree = BoxTree(make_box("all", 1, make_box("<ipython-input-1-ab>.f", 1)), "n", "count")
    assert [box[0] for box in read(tree)[1]] == ["all", "f"]


def test_small_boxes_and_rows_past_the_limit_are_counted() -> None:
    deep = make_box("deepest", 9_000)
    for depth in range(400):
        deep = make_box(f"f{depth}", 9_000, deep)
    small = [make_box(f"small{i}", 1) for i in range(20)]
    tree = BoxTree(make_box("all", 9_020, deep, *small), "n", "count")
    head, boxes = read(tree)
    assert len(boxes) == 300
    assert head == f"cpu: 9020 (n); {401 - 299 + 20} boxes are too small to be drawn"
    assert read(BoxTree(make_box("all", 0), "n", "count"))[1] == []


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "nanoseconds", "0 ns"),
        (999, "nanoseconds", "999 ns"),
        (1_500_000, "nanoseconds", "1.50 ms"),
        (61_000_000_000, "nanoseconds", "61.00 s"),
        (1023, "bytes", "1023 B"),
        (5 << 20, "bytes", "5.0 MiB"),
        (12, "count", "12"),
    ],
)
def test_values(value: int, unit: str, text: str) -> None:
    assert format_value(value, unit) == text
