"""The rules of packaging/text_rules.py: what fails, and what is allowed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG = "word " * 21 + "end"
"""108 columns."""


@pytest.fixture(scope="module")
def rules() -> Any:
    spec = importlib.util.spec_from_file_location("text_rules", ROOT / "packaging/text_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("before", ["", "* ", "  3. ", "> ", "# "])
def test_a_long_line_is_found_by_its_number(rules: Any, before: str) -> None:
    assert list(rules.find_long_lines(f"short\n\n{before}{LONG}\nshort\n")) == [3]


def test_the_limit_is_a_hundred_columns(rules: Any) -> None:
    assert list(rules.find_long_lines("ab " * 33 + "c")) == []
    assert list(rules.find_long_lines("ab " * 33 + "cd")) == [1]


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |",
        f"```\n{LONG}\n```",
        f"Text:\n\n    {LONG}\n    {LONG}\n",
        f"* [{LONG}](https://example.org)",
        f"![{LONG}](picture.png)",
        f"`{LONG}`",
        "https://example.org/" + "x" * 100,
    ],
)
def test_what_cannot_be_broken_may_be_long(rules: Any, text: str) -> None:
    assert list(rules.find_long_lines(text)) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"```\n{LONG}\n```\n{LONG}", 4),
        (f"Text:\n    {LONG}", 2),
        (f"See [this](page.md) {LONG}", 1),
    ],
)
def test_long_text_beside_code_and_links_is_found(rules: Any, text: str, number: int) -> None:
    assert list(rules.find_long_lines(text)) == [number]


def test_old_words_are_found_with_their_lines(rules: Any) -> None:
    text = "all fine: `told`\n# Nobody waits at one go.\nthe window is told of it\n"
    assert list(rules.find_old_words(text)) == [
        (2, "nobody"),
        (2, "at one go"),
        (3, "told"),
    ]


def test_parts_of_other_words_are_no_old_words(rules: Any) -> None:
    assert list(rules.find_old_words("untold n_untold is_told_apart nobody_else")) == []


def test_every_listed_folder_exists_and_every_word_has_advice(rules: Any) -> None:
    for name in rules.PLAIN_PLACES:
        assert (ROOT / name).exists(), name
    assert all(rules.OLD_WORDS.values())
