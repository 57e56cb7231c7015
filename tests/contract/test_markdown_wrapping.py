"""packaging/markdown_wrapping.py: what is filled anew, and that nothing else changes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG = " ".join(["word"] * 25)
"""124 columns."""


@pytest.fixture(scope="module", name="modules")
def load_modules() -> Any:
    """``markdown_wrapping`` and ``text_rules``."""
    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        names = ("markdown_wrapping", "text_rules")
        return tuple(importlib.import_module(name) for name in names)
    finally:
        sys.path.remove(str(ROOT / "packaging"))


@pytest.fixture(scope="module", name="wrap")
def find_wrap(modules: Any) -> Any:
    return modules[0].wrap_markdown


def test_a_paragraph_is_filled_to_a_hundred_columns(wrap: Any) -> None:
    twenty = " ".join(["word"] * 20)
    assert wrap(f"# Title\n\n{LONG}\nend\n") == (
        f"# Title\n\n{twenty}\nword word word word word end\n"
    )


@pytest.mark.parametrize("marker", ["* ", "- ", "12. ", "  * "])
def test_the_lines_of_an_item_stand_below_its_text(wrap: Any, marker: str) -> None:
    first, second = wrap(f"{marker}{LONG}").split("\n")
    assert first.startswith(f"{marker}word")
    assert second.startswith(" " * len(marker) + "word")


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |\n|---|\n| {LONG} |",
        f"```\n{LONG}\n```",
        f"Text:\n\n    {LONG}\n\n    {LONG}\n",
        f"# {LONG}",
        f"> {LONG}",
        f"<!-- {LONG} -->",
        f"![{LONG}](picture.png)",
        f"{LONG}  \nafter a hard break",
        "short\nlines\nstay",
        f"[{LONG}](page.md)",
    ],
)
def test_everything_else_stays(wrap: Any, text: str) -> None:
    assert wrap(text) == text


def test_links_and_code_spans_are_not_broken(wrap: Any) -> None:
    span, link = "`record PID -o a.pb.gz`", "[how it works](page.md)"
    for n_words in range(14, 22):
        wrapped = wrap(" ".join(["word"] * n_words + [span, link, LONG]))
        assert span in wrapped
        assert link in wrapped


def test_no_line_begins_like_an_item_by_chance(wrap: Any) -> None:
    for n_words in range(15, 25):
        text = " ".join(["word"] * n_words + ["-", "1.", "+", "#"] + ["word"] * 10)
        assert wrap(wrap(text)) == wrap(text)
        assert not any(line.startswith(("-", "1.", "+", "#")) for line in wrap(text).split("\n"))


def test_it_leaves_no_long_line_in_this_project_and_every_word(modules: Any) -> None:
    wrapping, rules = modules
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        text = (ROOT / name).read_text(encoding="utf-8")
        wrapped = wrapping.wrap_markdown(text)
        assert wrapped.split() == text.split(), name
        assert wrapping.wrap_markdown(wrapped) == wrapped, name
        assert list(rules.find_long_lines(wrapped)) == [], name
