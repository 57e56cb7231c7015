"""Colours of flame graph boxes: a palette for dark and light windows, and one for colour blindness.

``module`` gives each package, module or file a hue. ``safe`` begins with the hues of Okabe and Ito,
moved until any two differ with each of the common colour vision deficiencies, and until dark text
can be read on them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from stackglass_viewer.model.graph.palette import HueOf, Palette
from stackglass_viewer.presenter.settings.native_level import NativeLevel

_OPAQUE = 0xFF000000

_MODULE_DARK = (
    0xE8A35C, 0xE3BE5A, 0xB9C75F, 0x7FC284, 0x5FBFA8, 0x62B7CF,
    0x7BA7E6, 0x9C9AE8, 0xC08FDD, 0xDE8ABB, 0xE58A90, 0xDB9A72,
)  # fmt: skip
_MODULE_LIGHT = (
    0xFFC27D, 0xFBDB78, 0xD5E27F, 0xA0DDA2, 0x86DCC8, 0x8AD3E9,
    0xA2C6FB, 0xBDBBFA, 0xD9B2F4, 0xF5AFD6, 0xFBAEB1, 0xF0B995,
)  # fmt: skip
_SAFE_DARK = (0xF0A619, 0x90CBF6, 0x57D6A2, 0xE9E362, 0x609EDB, 0xF5C181, 0xC588B8, 0x959888)
_SAFE_LIGHT = (0xFFBD44, 0x96F0FB, 0xABF0B2, 0xFFF494, 0x9DAFCD, 0xFF9D81, 0xD3BEFF, 0xE4C4CA)

# C code: stone colours, less saturated than Python's hues, and warmer than pseudo-frames.
_NATIVE_DARK = (0xC8BBA4, 0xB5AA94, 0xD3C7B8, 0xBDB59E)
_NATIVE_LIGHT = (0xE3D9C6, 0xD6CDBB, 0xECE3D8, 0xDCD6C3)


def _opaque(colours: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(_OPAQUE | colour for colour in colours)


# Grown, unchanged, shrunk: light enough for dark text. Most eyes distinguish red and blue, and all
# eyes distinguish orange and blue.
_CHANGES = {
    ("module", True): (0xFFEE7F6D, 0xFF8A93A3, 0xFF6BA4F5),
    ("module", False): (0xFFF58A78, 0xFFD5DAE2, 0xFF8DBBFA),
    ("safe", True): (0xFFE8923A, 0xFF8A93A3, 0xFF5FA8E6),
    ("safe", False): (0xFFF2A65A, 0xFFD5DAE2, 0xFF83BFEE),
}
_PALETTES = {
    ("module", True): Palette(
        _opaque(_MODULE_DARK),
        (0.93, 0.97, 1.0, 1.04),
        0xFF8A93A3,
        0xFFA7AFBD,
        *_CHANGES["module", True],
    ),
    ("module", False): Palette(
        _opaque(_MODULE_LIGHT),
        (0.95, 0.98, 1.0),
        0xFFC3C9D3,
        0xFFD5DAE2,
        *_CHANGES["module", False],
    ),
    ("safe", True): Palette(
        _opaque(_SAFE_DARK), (0.90, 1.0, 1.08), 0xFF8A93A3, 0xFFA7AFBD, *_CHANGES["safe", True]
    ),
    ("safe", False): Palette(
        _opaque(_SAFE_LIGHT), (0.94, 1.0), 0xFFB9C0CB, 0xFFD5DAE2, *_CHANGES["safe", False]
    ),
}


def choose_palette(
    name: str, is_dark: bool, hue_of: HueOf = "package", is_high_contrast: bool = False
) -> Palette:
    """Return a palette by name: ``module``, the default, or ``safe``. With high contrast a dark
    window has the bright boxes of a light one, too."""
    is_deep = is_dark and not is_high_contrast
    native = _opaque(_NATIVE_DARK if is_deep else _NATIVE_LIGHT)
    return replace(_PALETTES[name, is_deep], hue_of=hue_of, native=native, is_dark=is_dark)


def spread_hues(palette: Palette) -> tuple[int, ...]:
    """Return the hues in an order in which neighbours differ more than in the palette."""
    hues = palette.hues
    if len(hues) < 9:
        return hues
    return tuple(hues[(4 + 5 * index) % len(hues)] for index in range(len(hues)))


@dataclass(frozen=True, slots=True)
class GraphStyle:
    """How a flame graph is drawn."""

    order: str  # of callees below their caller: cost, name, time
    palette: Palette
    is_inverted: bool = False  # callees first
    native: NativeLevel = "all"  # how much of C code is shown
    least: float = 0.0  # share of the whole, 0 … 1: narrower boxes are left out
