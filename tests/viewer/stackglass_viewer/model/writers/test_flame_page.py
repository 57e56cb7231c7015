"""The flame graph as a web page: what its script is given."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.flame_layout import Order, lay_out
from stackglass_viewer.model.writers.flame_page import write_flame_page
from stackglass_viewer.model.writers.flame_picture import FlamePicture, PictureLook, make_pictures
from stackglass_viewer.presenter.settings.palettes import choose_palette

LOOK = PictureLook("#fefefe", "#111111", "#222222")
PALETTE = choose_palette("module", is_dark=False)


def write_page(text: str, folder: Path, **options: int) -> bytes:
    profile = read_stacks(text, folder)
    pictures = make_pictures(profile, [TypeId(1), TypeId(0)], PALETTE)
    return write_flame_page(pictures, "<b>&title", "about", LOOK, **options)


class _Page(HTMLParser):
    """The text of each element, and every address that the page names."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.addresses: list[str] = []
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._tag = found.get("id") or tag
        self.addresses += [str(found[key]) for key in ("src", "href") if key in found]

    def handle_data(self, data: str) -> None:
        self.texts[self._tag] = self.texts.get(self._tag, "") + data


def parse(page: bytes) -> _Page:
    parser = _Page()
    parser.feed(page.decode())
    return parser


def read_data(page: bytes) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(parse(page).texts["data"])
    return data


def list_paths(data: dict[str, Any], number: int) -> dict[str, tuple[int, int]]:
    """Own value and total of each node, by its path."""
    paths: list[str] = []
    for node, parent in enumerate(data["parent"]):
        frame = data["frame"][node]
        name = data["names"][frame] if frame >= 0 else data["root"]
        paths.append(f"{paths[parent]};{name}" if node else name)
    values = data["types"][number]
    return dict(zip(paths, zip(values["own"], values["total"], strict=True), strict=True))


def test_all_values_of_all_types_are_there(tmp_path: Path) -> None:
    data = read_data(write_page("main;load 300\nmain;save 90\nmain 10", tmp_path))
    assert [each["name"] for each in data["types"]] == ["cpu", "samples"]
    assert list_paths(data, 0) == {
        "all": (0, 400),
        "all;main": (10, 400),
        "all;main;load": (300, 300),
        "all;main;save": (90, 90),
    }
    assert list_paths(data, 1)["all;main"] == (1, 3)
    assert data["types"][0]["scale"] == "time"
    assert (data["types"][0]["is_change"], data["types"][0]["whole"]) == (False, 400)
    assert (data["files"][data["names"].index("load")], data["n_omitted"]) == ("load.py", 0)


def test_the_narrowest_boxes_are_left_out_and_counted(tmp_path: Path) -> None:
    text = "\n".join(f"main;f{number} {1000 - number}" for number in range(100))
    data = read_data(write_page(text, tmp_path, most_nodes=12))
    paths = list_paths(data, 0)
    assert set(paths) == {"all", "all;main", *(f"all;main;f{number}" for number in range(10))}
    assert paths["all;main"] == (0, sum(range(901, 1001)))
    assert data["n_omitted"] == 90


def test_differences_have_widths_and_colours_of_their_own(tmp_path: Path) -> None:
    values = read_data(write_page("main;more 300\nmain;less -100", tmp_path))["types"][0]
    assert sorted(values["size"]) == [100, 300, 400, 400]
    assert values["total"][0] == 200
    assert (values["is_change"], values["whole"]) == (True, 400)
    assert len(set(values["colours"])) > 1


def lay_out_again(picture: FlamePicture, order: Order) -> FlamePicture:
    return replace(picture, layout=lay_out(picture.tree, picture.values, order))


@pytest.mark.parametrize("order", [Order.BY_NAME, Order.BY_TIME], ids=lambda each: each.name)
def test_boxes_stand_in_the_order_of_the_window(order: Order, tmp_path: Path) -> None:
    profile = read_stacks("main;a 1\nmain;b 3\nmain;c 2", tmp_path)
    (picture,) = make_pictures(profile, [TypeId(1)], PALETTE)
    data = read_data(write_flame_page([lay_out_again(picture, order)], "", "", LOOK))
    names = [data["names"][frame] if frame >= 0 else "all" for frame in data["frame"]]
    places = dict(zip(names, data["types"][0]["left"], strict=True))
    assert places == {"all": 0, "main": 0, "a": 0, "b": 1, "c": 4}
    data = read_data(write_flame_page([picture], "", "", LOOK))
    assert data["types"][0]["left"] is None  # the page places the widest first


def test_a_function_may_have_boxes_of_several_colours(tmp_path: Path) -> None:
    profile = read_stacks("main;a;lock 1\nmain;b;lock 3", tmp_path)
    (picture,) = make_pictures(profile, [TypeId(1)], PALETTE)
    assert read_data(write_flame_page([picture], "", "", LOOK))["types"][0]["colours"] is None
    own = np.arange(1, picture.tree.n_nodes + 1, dtype=np.uint32)
    data = read_data(write_flame_page([replace(picture, node_colour=own)], "", "", LOOK))
    assert data["types"][0]["colours"] == [f"#{each:06x}" for each in own.tolist()]


def test_shorter_names_begin_where_a_script_cuts_them(tmp_path: Path) -> None:
    data = read_data(write_page("main;http.client.get 3\n\U0001f600.work 2", tmp_path))
    starts = dict(zip(data["names"], data["starts"], strict=True))
    assert starts == {"main": [], "http.client.get": [5, 12], "\U0001f600.work": [3]}


@pytest.mark.parametrize("name", ["</script><b>", "<!--", "{{data}}", "a&amp b"])
def test_names_stay_text(tmp_path: Path, name: str) -> None:
    page = write_page(f"main;{name} 3", tmp_path)
    assert name in read_data(page)["names"]
    assert parse(page).texts["title"].strip() == "<b>&title"


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    page = write_page("main 3", tmp_path)
    assert parse(page).addresses == []
    assert b"default-src 'none'" in page
    assert not re.search(rb"(https?:)?//[a-z]", page.replace(b"// ", b""))
    assert b"{{" not in page
