"""Names without arguments."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.profile.simple_names import simplify


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("std::sort(int*, int*)", "std::sort"),
        (".fun", "fun"),
        ("(anonymous namespace)::run(int)", "(anonymous namespace)::run"),
        ("A::operator()(int) const", "A::operator()"),
        ("main.(*T).Run", "main."),
        ("plain", "plain"),
    ],
)
def test_names_lose_their_arguments(name: str, want: str) -> None:
    assert simplify(name) == want
