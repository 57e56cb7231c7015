"""``stackglass tree`` and ``peek``: their text; their rows are compared with pprof's elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from harness.reports import run_command
from stackglass_viewer.model.errors import ContentError, PatternError

STACKS = "main;load;parse 30\nmain;save\x1b 40\nmain;load 20\nidle 10"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    path.write_bytes(encode_stacks(STACKS))
    return path


def read_rows(text: str) -> list[list[str]]:
    """The words of each line below the head of the table."""
    lines = text.partition("| name\n")[2].splitlines()
    return [line.split() for line in lines if not line.startswith("---")]


def test_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("peek", path, "load|save") == 0
    assert read_rows(capsys.readouterr().out) == [
        ["40", "ns", "100.00%", "|", "main"],
        ["40", "ns", "40.00%", "40.00%", "40", "ns", "40.00%", "|", "save\ufffd"],
        ["50", "ns", "100.00%", "|", "main"],
        ["20", "ns", "20.00%", "60.00%", "50", "ns", "50.00%", "|", "load"],
        ["30", "ns", "60.00%", "|", "parse"],
    ]


def test_what_is_left_out_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command("tree", path, "-n", "2")
    assert "Shown: 2 of 5 rows; --no-trim shows all\n" in capsys.readouterr().out
    run_command("tree", path, "-n", "2", "--no-trim")
    assert "Shown:" not in capsys.readouterr().out


def test_what_matches_nothing_is_an_error(path: Path) -> None:
    with pytest.raises(ContentError, match="no function of profile matches 'none'"):
        run_command("peek", path, "none")
    with pytest.raises(PatternError, match="not a regular expression"):
        run_command("peek", path, "(")
