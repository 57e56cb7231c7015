"""Patterns out of files; that frames are cut as pprof cuts them is tested beside pprof itself."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.readers.frame_pruning import simplify
from stackglass_viewer.model.readers.safe_pattern import compile_pattern


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


@pytest.mark.checklist(106)
def test_a_pattern_matches_whole() -> None:
    """Checklist 106."""
    test = compile_pattern(r"malloc|operator new(\[\])?|tc_.*")
    assert test("malloc")
    assert test("operator new[]")
    assert test("tc_free")
    assert not test("my_malloc")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "a*a*a*a*a*b", "(", "x" * 30_000])
def test_patterns_that_might_never_end_are_refused(pattern: str) -> None:
    with pytest.raises(ProfileError, match="frames to drop or keep"):
        compile_pattern(pattern)
