"""Hues as eyes see them that lack a kind of cone: simulated, and compared pair by pair."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from stackglass_viewer.presenter.memory_trace.map_groups import list_hues
from stackglass_viewer.presenter.settings.palettes import choose_palette, spread_hues

# Machado, Oliveira, Fernandes 2009, severity 1, for linear RGB.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])


def see(colour: int, eye: str) -> np.ndarray:
    """A colour in CIE L*a*b*."""
    parts = np.array([(colour >> shift) & 0xFF for shift in (16, 8, 0)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(EYES[eye] @ linear, 0, 1)
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one: int, other: int, eye: str) -> float:
    """2.3 is what can just be noticed, side by side."""
    return float(np.linalg.norm(see(one, eye) - see(other, eye)))


def test_the_simulation_confuses_what_such_eyes_confuse() -> None:
    blue, violet = 0x7BA7E6, 0x9C9AE8
    assert distance(blue, violet, "usual") > 15
    assert distance(blue, violet, "deuteranopia") < 2
    assert distance(0xFF0000, 0x00FF00, "protanopia") < distance(0xFF0000, 0x00FF00, "usual") / 2


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("is_dark", [True, False])
def test_any_two_safe_hues_remain_apart(eye: str, is_dark: bool) -> None:
    palette = choose_palette("safe", is_dark)
    for one, other in combinations(palette.hues, 2):
        assert distance(one, other, eye) >= 12, (hex(one), hex(other))
    for one, other in combinations(list_hues(palette), 2):  # of the heap map
        assert distance(one, other, eye) >= 10, (hex(one), hex(other))


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("is_dark", [True, False])
@pytest.mark.parametrize("name", ["module", "safe"])
def test_growth_and_shrinkage_remain_apart(eye: str, is_dark: bool, name: str) -> None:
    palette = choose_palette(name, is_dark)
    for one, other in combinations((palette.grown, palette.level, palette.shrunk), 2):
        assert distance(one, other, eye) >= 20, (hex(one), hex(other))


@pytest.mark.parametrize("is_dark", [True, False])
def test_neighbours_of_a_legend_remain_apart_for_usual_eyes(is_dark: bool) -> None:
    hues = spread_hues(choose_palette("module", is_dark))
    for one, other in pairwise(hues):
        assert distance(one, other, "usual") >= 25


def test_high_contrast_has_bright_boxes_in_both_kinds_of_window() -> None:
    for name in ("module", "safe"):
        dark = choose_palette(name, True, "file", is_high_contrast=True)
        assert dark.hues == choose_palette(name, False).hues
        assert dark.is_dark
        assert dark.hue_of == "file"
