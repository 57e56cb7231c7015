"""The flame graph as SVG, read by a parser of XML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.writers.flame_picture import FlamePicture, PictureLook
from stackglass_viewer.model.writers.flame_svg import write_flame_svg

NS = "{http://www.w3.org/2000/svg}"
LOOK = PictureLook("#ffffff", "#111111", "#222222")
STACKS = """
main;load;parse 300
main;save 400
idle 100
"""


def make_picture(folder: Path, text: str = STACKS) -> FlamePicture:
    tree, values = grow_tree(text, folder)
    colours = np.full(tree.n_nodes, 0x102030, dtype=np.uint32)
    colours[0] = 0x405060
    return FlamePicture(tree, values, lay_out(tree, values), colours, int(values.total[0]))


def read_boxes(picture: bytes) -> dict[str, tuple[float, float, str]]:
    """By name: width, top edge, colour."""
    boxes = {}
    for group in ElementTree.fromstring(picture).iter(f"{NS}g"):
        box, tip = group.find(f"{NS}rect"), group.find(f"{NS}title")
        if box is not None and tip is not None and tip.text is not None:
            name = tip.text.splitlines()[0]
            boxes[name] = (float(box.attrib["width"]), float(box.attrib["y"]), box.attrib["fill"])
    return boxes


def read_texts(picture: bytes) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{NS}text")]


def test_boxes_are_as_wide_as_their_values(tmp_path: Path) -> None:
    boxes = read_boxes(
        write_flame_svg(make_picture(tmp_path, "main;load 300\nmain;save 100"), "t", "a", LOOK)
    )
    whole_px = boxes["all"][0] + 1  # and the gap
    assert {name: round((width + 1) / whole_px, 3) for name, (width, *_) in boxes.items()} == {
        "all": 1.0,
        "main": 1.0,
        "load": 0.75,
        "save": 0.25,
    }
    assert boxes["all"][1] < boxes["main"][1] < boxes["load"][1] == boxes["save"][1]
    assert (boxes["all"][2], boxes["load"][2]) == ("#405060", "#102030")


def test_differences_have_signs(tmp_path: Path) -> None:
    tree, values = grow_tree("main;less 300\nmain;more 100", tmp_path)
    less, more = tree.frame_name.index("less"), tree.frame_name.index("more")
    total = np.zeros(tree.n_nodes, dtype=np.int64)
    for node, frame in enumerate(tree.frame.tolist()):
        total[node] = {less: -300, more: 100}.get(frame, 0)
    plain = make_picture(tmp_path)
    changed = replace(
        plain,
        tree=tree,
        values=replace(values, total=total),
        layout=lay_out(tree, values),
        whole=1000,
        is_change=True,
    )
    written = write_flame_svg(changed, "t", "a", LOOK)
    assert set(read_texts(written)[2:]) == {"all", "main", "−less", "+more"}
    assert {"less", "more"} <= set(read_boxes(written)), "a tool tip has the name alone"
    (tip,) = (
        each.text or ""
        for each in ElementTree.fromstring(written).iter(f"{NS}title")
        if (each.text or "").startswith("less")
    )
    assert tip.splitlines()[-1] == "−300 ns, 30.0%"


def test_rows_grow_from_the_bottom_of_a_flame(tmp_path: Path) -> None:
    picture = make_picture(tmp_path, "main;load 3")
    boxes = read_boxes(write_flame_svg(picture, "t", "a", replace(LOOK, is_upward=True)))
    assert boxes["all"][1] > boxes["main"][1] > boxes["load"][1]


def test_names_are_whole_and_found_by_a_search(tmp_path: Path) -> None:
    long = "package.module." + "very_" * 60 + "long"
    texts = read_texts(
        write_flame_svg(make_picture(tmp_path, f"main;{long} 3"), "shop.pb", "3 s", LOOK)
    )
    assert texts == ["shop.pb", "3 s", "all", "main", long]


def test_a_narrow_box_shows_the_end_of_its_name(tmp_path: Path) -> None:
    """The text is whole and moved by the part that does not fit, 7.2 px for each letter."""
    text = "a.long.package.of.modules.Class.method 100\nrest 1700"
    picture = write_flame_svg(make_picture(tmp_path, text), "t", "", LOOK)
    found = [each for each in ElementTree.fromstring(picture).iter(f"{NS}text")]
    narrow = next(each for each in found if each.text == "a.long.package.of.modules.Class.method")
    assert float(narrow.attrib["x"]) == pytest.approx(
        -7.2 * len("a.long.package.of.modules.Class.")
    )
    wide = next(each for each in found if each.text == "rest")
    assert "x" not in wide.attrib


@pytest.mark.parametrize("name", ["operator<", "a&b", '"quoted"', "<lambda>", "tab\there"])
def test_a_name_is_text_whatever_is_in_it(tmp_path: Path, name: str) -> None:
    texts = read_texts(write_flame_svg(make_picture(tmp_path, f"main;{name} 3"), "<t>", "&", LOOK))
    assert texts[:2] == ["<t>", "&"]
    assert texts[-1] == name.replace("\t", "\ufffd")


def test_what_is_thinner_than_a_tenth_of_a_pixel_is_left_out(tmp_path: Path) -> None:
    picture = make_picture(tmp_path, "main;load 1000000\nmain;thin 1\nmain;seen 500")
    boxes = read_boxes(write_flame_svg(picture, "t", "a", LOOK))
    assert "seen" in boxes
    assert "thin" not in boxes
    assert boxes["main"][0] + 1 == pytest.approx(boxes["all"][0] + 1)


def test_tool_tips_have_the_value_and_its_share(tmp_path: Path) -> None:
    picture = write_flame_svg(
        make_picture(tmp_path, "main;load 300\nmain;save 100"), "t", "a", LOOK
    )
    tips = [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{NS}title")]
    (load,) = (tip for tip in tips if tip.startswith("load"))
    assert load.splitlines()[-1] == "300 ns, 75.0%"
