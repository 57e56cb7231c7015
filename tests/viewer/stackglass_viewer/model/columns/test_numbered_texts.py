"""Texts by number are a sequence like any other."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.numbered_texts import NumberedTexts


def test_they_are_a_sequence() -> None:
    numbers = np.array([2, 0, 2, 1] * 2000, dtype=np.int32)
    texts = NumberedTexts(("a", "b", "c"), numbers)
    plain = ["c", "a", "c", "b"] * 2000
    assert list(texts) == plain
    assert len(texts) == len(plain)
    assert texts[3] == "b"
    assert texts[-2] == "c"
    assert list(texts[1:7:2]) == plain[1:7:2]
    assert texts.index("b") == 3
    assert "d" not in texts
