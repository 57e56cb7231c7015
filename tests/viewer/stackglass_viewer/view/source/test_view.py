"""What the head of the source view says about the numbers of a file."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.graph.line_costs import LineCosts
from stackglass_viewer.presenter.tables.source_model import SourceText
from stackglass_viewer.view.source.view import _describe


@pytest.mark.parametrize(
    ("number", "note"),
    [([], "no samples of this type"), ([0], "the profile records no line numbers"), ([3], "")],
)
def test_a_function_without_samples_does_not_lack_line_numbers(
    number: list[int], note: str
) -> None:
    sums = np.full(len(number), 9, dtype=np.int64)
    costs = LineCosts(np.array(number), sums, sums, np.ones(len(number), dtype=bool))
    text = SourceText("f", "a.py", "a.py", ("a", "b", "c"), costs, 1, 60, "count")
    assert _describe(text).split("  ·  ")[1:] == ([note] if note else [])
