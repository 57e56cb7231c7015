"""Why a view is missing, in words."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.missing_views import explain_missing
from stackglass_viewer.presenter.settings.view_layout import DETAILS


def test_a_table_of_another_sample_type_says_which() -> None:
    explain = explain_missing
    both = explain(DETAILS, has_heap=True, has_contention=True)
    assert "heap" in both
    assert "contention" in both
    assert "F4" in both
    assert explain(DETAILS, has_heap=True, has_contention=False) == (
        "Sites belong to the sample type heap. Choose it first (F4)."
    )
    assert explain(DETAILS, has_heap=False, has_contention=True) == (
        "Waits belong to the sample type contention. Choose it first (F4)."
    )
    assert "F4" not in explain(DETAILS, has_heap=False, has_contention=False)


@pytest.mark.parametrize(
    ("view", "word"),
    [
        ("both", "flame graph"),
        ("tree", "call tree"),
        ("traces", "traces"),
        ("sandwich", "callers"),
        ("graph", "call graph"),
        ("labels", "labels"),
        ("time", "times"),
    ],
)
def test_every_view_that_may_be_missing_has_a_reason(view: str, word: str) -> None:
    text = explain_missing(view, has_heap=True, has_contention=True)
    assert text.startswith("Th")
    assert text.endswith(".")
    assert word in text


def test_a_capture_without_labels_says_how_a_program_sets_some() -> None:
    text = explain_missing("labels", has_heap=True, has_contention=True, is_live=True)
    assert text.startswith("These samples have no labels besides their threads.")
    assert "stackglass.labels(" in text
    assert "--label-var" in text
