"""Patterns mean what they mean in pprof; other tests compare whole files with pprof itself."""

from __future__ import annotations

import re

import pytest

from stackglass_viewer.model import patterns
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.patterns import compile_pattern, compile_whole


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("[[:digit:]]", "v2", ":"),  # Python: one of the letters [ : d i g t ]
        (r"^\pL+$", "größe", "a1"),
        (r"end\z", "the end", "end\n"),
        ("end$", "the end", "end\n"),  # Python: also before a last newline
        (r"\Qa.b(\E", "a.b(c)", "axb("),
        ("(?U)a+$", "caa", "aab"),
        ("(a|b)+c", "ababc", "abab"),
        ("(a+)+$", "aaa", "a" * 5000 + "b"),  # Python: does not end
        ("größe", "die größe", "grosse"),
        ("", "", None),
    ],
)
def test_syntax_is_re2s(pattern: str, found: str, not_found: str | None) -> None:
    test = compile_pattern(pattern)
    assert test(found)
    assert not_found is None or not test(not_found)


def test_case_matters_unless_asked_otherwise() -> None:
    assert not compile_pattern("query")("Query")
    assert compile_pattern("QUERY", is_case_sensitive=False)("my query")


def test_half_a_pair_is_no_error() -> None:
    assert compile_pattern("^a.b$")("a\ud800b")


def test_escaped_names_find_themselves() -> None:
    name = "".join(map(chr, range(1, 127))) + "é\n"
    assert compile_pattern(f"^{re.escape(name)}$")(name)


@pytest.mark.parametrize("pattern", ["(", "a**", "(?=a)", r"(a)\1", "a{1001}", "((a{99}){99}){99}"])
def test_what_is_no_pattern_is_said(pattern: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PatternError, match="not a regular expression") as caught:
        compile_pattern(pattern)
    assert caught.value.remedy  # what is wrong with it
    assert capfd.readouterr() == ("", "")


def test_the_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "re2", None)
    with pytest.raises(PatternError, match="need google-re2") as caught:
        compile_pattern("a")
    assert "pip install" in caught.value.remedy


@pytest.mark.checklist(106)
def test_a_pattern_of_frames_matches_whole() -> None:
    """Checklist 106."""
    test = compile_whole(r"malloc|operator new(\[\])?|tc_.*")
    assert test("malloc")
    assert test("operator new[]")
    assert test("tc_free")
    assert not test("my_malloc")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*(.*)*x"])
def test_patterns_made_to_be_slow_are_not(pattern: str) -> None:
    """With Python's ``re``, none of them ends."""
    assert not compile_pattern(pattern)("a" * 100_000 + "!")
