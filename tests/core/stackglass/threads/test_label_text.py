"""Labels as Go prints them."""

from __future__ import annotations

import pytest

from stackglass.threads.label_text import quote_labels


@pytest.mark.checklist(95)
def test_labels_are_sorted_and_quoted_where_they_must_be() -> None:
    """Checklist 95: in quotes: nothing, blanks, control characters, marks, other than ASCII."""
    assert quote_labels(()) == "{}"
    assert quote_labels((("b", "2"), ("a", "/x"))) == "{a: /x, b: 2}"
    assert quote_labels((("a b", ""),)) == '{"a b": ""}'
    assert quote_labels((("a", "\n"), ("b", "ä"), ("c", "x,y"))) == (
        '{a: "\\n", b: "\\u00e4", c: "x,y"}'
    )
