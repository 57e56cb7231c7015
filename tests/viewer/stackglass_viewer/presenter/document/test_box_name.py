"""Names of boxes in small graphs."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.document.box_name import BoxName, fit_name_in_box

CHAR = (7.0, 16.0)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("main", ("main",)),
        ("run_shop", ("run_", "shop")),
        ("Thread._bootstrap_inner", ("Thread", "._bootstrap_", "inner")),
        ("JSONEncoder.iterencode", ("JSONEncoder", ".iterencode")),
        ("PriceCache.look_up", ("PriceCache", ".look_up")),
        ("libz: 0x10b60", ("libz: 0x10b60",)),
        ("__init__", ("__init__",)),
    ],
)
def test_names_break_at_dots_and_underscores(name: str, lines: tuple[str, ...]) -> None:
    fitted = fit_name_in_box(name, 8 * len(name), 90.0, CHAR, 9.0)
    assert "".join(fitted.lines) == name
    assert fitted.lines == lines


def test_text_is_as_large_as_the_box_allows() -> None:
    name = "JSONEncoder.iterencode"
    wide = fit_name_in_box(name, 22 * 7.0, 16.0, CHAR, 9.0)
    assert wide == BoxName((name,), 1.0), "a second line would need smaller text"
    high = fit_name_in_box(name, 22 * 7.0, 64.0, CHAR, 9.0)
    assert high == BoxName(("JSONEncoder", ".iterencode"), 2.0)


def test_short_names_are_not_larger_than_allowed() -> None:
    assert fit_name_in_box("main", 150.0, 64.0, CHAR, 1.5) == BoxName(("main",), 1.5)
    one_line = fit_name_in_box("run_shop", 150.0, 64.0, CHAR, 1.5)
    assert one_line == BoxName(("run_shop",), 1.5), "it is not broken for nothing"


def test_lines_stay_in_the_box() -> None:
    for name in ("a", "a.b.c.d.e.f", "x" * 40, "_" * 9, "", "..", "one_two_three.four_five"):
        fitted = fit_name_in_box(name, 100.0, 50.0, CHAR, 9.0)
        assert "".join(fitted.lines) == name
        assert max(map(len, fitted.lines)) * CHAR[0] * fitted.scale <= 100.0 + 1e-9
        assert len(fitted.lines) * CHAR[1] * fitted.scale <= 50.0 + 1e-9
