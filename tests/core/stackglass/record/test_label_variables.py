"""``--label-var``: which words name a variable."""

from __future__ import annotations

import pytest

from stackglass.errors import UsageError
from stackglass.record.label_variables import read_variables


def test_variables_are_named_once_each() -> None:
    assert read_variables(None) == ()
    assert read_variables(["a:B", "a.b.c:_d2", "a:B"]) == ("a:B", "a.b.c:_d2")


@pytest.mark.parametrize(
    "word", ["a", ":a", "a:", "a:b:c", "a.:b", "a:b.c", "a,b:c", "1:a", "a:1", "m" * 126 + ":v"]
)
def test_what_names_no_variable_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="names no variable"):
        read_variables([word])


def test_a_fifth_variable_is_refused() -> None:
    with pytest.raises(UsageError, match="4 times"):
        read_variables([f"m:v{i}" for i in range(5)])
