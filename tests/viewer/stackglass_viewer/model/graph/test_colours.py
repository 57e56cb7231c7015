"""Colours: by module, the same in every run, and none for pseudo-frames."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from stackglass_viewer.model.graph.colours import (
    colour_changes,
    colour_frames,
    module_of,
)
from stackglass_viewer.model.graph.palette import HueOf, Palette

PALETTE = Palette((0xFFE06060, 0xFF60E060, 0xFF6060E0), (1.0, 0.5), 0xFF808080, 0xFFFFFFFF)


@pytest.mark.parametrize(
    ("name", "file", "want"),
    [
        ("http.client.HTTPConnection.get", "/lib/http/client.py", "http.client"),
        ("json.loads", "/lib/json/__init__.py", "json"),
        ("client", "/lib/client.py", "/lib"),  # a function of the name of its file
        ("a.b.c", "/somewhere/else.py", "a"),
        ("github.com/me/app/db.(*Conn).Query", "/src/db/db.go", "github.com/me/app/db"),
        ("a.b", "", "a"),
    ],
)
def test_modules(name: str, file: str, want: str) -> None:
    assert module_of(name, file) == want


def test_packages_modules_or_files_have_hues() -> None:
    many = replace(PALETTE, hues=tuple(range(0xFF000000, 0xFF001000)), shades=(1.0,))
    names = ["http.client.get", "http.client.put", "http.server.run", "http.client.late"]
    files = ["/http/client.py", "/http/client.py", "/http/server.py", "/http/client_late.py"]
    found = []
    for hue_of in get_args(HueOf):
        colours = colour_frames(names, files, replace(many, hue_of=hue_of)).tolist()
        found.append([colours.index(each) for each in colours])
    assert found == [[0, 0, 0, 0], [0, 0, 2, 3], [0, 0, 2, 3]]


def test_one_module_has_one_hue() -> None:
    colours = colour_frames(["a.x", "a.y", "<native>"], ["", "", ""], PALETTE)
    shades = {hue: {hue, 0xFF000000 | (hue & 0xFEFEFE) >> 1} for hue in PALETTE.hues}
    (hue,) = [hue for hue, both in shades.items() if int(colours[0]) in both]
    assert int(colours[1]) in shades[hue]
    assert int(colours[2]) == PALETTE.pseudo
    assert not colours.flags.writeable


def test_changes_go_from_shrunk_over_level_to_grown() -> None:
    palette = Palette((), (), 0, 0, grown=0xFFFF0000, level=0xFF808080, shrunk=0xFF0000FF)
    total = np.array([10, 0, -10, 5, 0], dtype=np.int64)
    width = np.array([10, 10, 10, 10, 0], dtype=np.int64)
    colours = [f"{colour:08x}" for colour in colour_changes(total, width, palette).tolist()]
    assert colours == ["ffff0000", "ff808080", "ff0000ff", "ffc04040", "ff808080"]
