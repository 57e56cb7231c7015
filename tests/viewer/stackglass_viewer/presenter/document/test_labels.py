"""Names cut to the room there is."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.document.labels import fit_name


@pytest.mark.parametrize(
    ("name", "n_chars", "fitted"),
    [
        ("json.loads", 10, "json.loads"),
        ("json.decoder.JSONDecoder.decode", 26, "decoder.JSONDecoder.decode"),
        ("json.decoder.JSONDecoder.decode", 10, "decode"),
        ("json.decoder.JSONDecoder.decode", 5, "deco…"),
        ("encoding/json.(*decodeState).object", 28, "json.(*decodeState).object"),
        ("app.main.<locals>.work", 14, "work"),
        ("<native>", 5, "<nat…"),
        ("libpython3.13: PyObject_Call", 14, "PyObject_Call"),
        ("workcc: known::Shape::draw", 20, "known::Shape::draw"),
        ("workcc: known::Shape::draw", 12, "Shape::draw"),
        ("libz: inflate_fast", 6, "infla…"),
        ("libscipy: *", 8, "libscip…"),
        ("libz.so.1: 0x1a2b0", 12, "libz.so.1: …"),
        ("work", 1, ""),
        ("", 5, ""),
    ],
)
def test_the_end_of_a_name_stays_longest(name: str, n_chars: int, fitted: str) -> None:
    assert fit_name(name, n_chars) == fitted


@pytest.mark.parametrize("n_chars", range(40))
def test_no_name_is_longer_than_its_room(n_chars: int) -> None:
    for name in ("a.b.<locals>.c", "x/y/z.(*T).m", "....", "a.", "/", "<lambda>", "m.<lambda>"):
        assert len(fit_name(name, n_chars)) <= n_chars


def test_a_label_is_one_line_from_left_to_right() -> None:
    assert fit_name("a\nb", 10) == "a\ufffdb"
    assert fit_name("left\u202eright", 20) == "left\ufffdright"
