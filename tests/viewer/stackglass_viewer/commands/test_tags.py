"""``stackglass tags``: its text; its sums are compared with pprof's in tests/contract."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from harness.profiles import encode_labels, encode_stacks
from harness.reports import read_report, run_command
from stackglass_viewer.model.errors import ContentError

STACKS = "main;load 30\nmain;save 40\nidle 10"
CONTENT = encode_labels(
    encode_stacks(STACKS), [{"route": "/a"}, {"route": "/b\x1b", "user": "1"}, {}]
)
CPROFILE = Path(__file__).resolve().parents[3] / "corpus/cprofile.workload.py3.12.prof"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    path.write_bytes(CONTENT)
    return path


def test_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("tags", path) == 0
    assert capsys.readouterr().out == (
        "File: profile\n"
        "Duration: 1.00 s\n"
        "Type: cpu   Total: 80 ns\n"
        "\n"
        "route: 70 ns (87.50% of the total)\n"
        "      flat   flat%   samples  value\n"
        "     40 ns  50.00%         1  /b\ufffd\n"
        "     30 ns  37.50%         1  /a\n"
        "\n"
        "user: 40 ns (50.00% of the total)\n"
        "      flat   flat%   samples  value\n"
        "     40 ns  50.00%         1  1\n"
    )


def test_what_is_not_there_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command("tags", path, "--tagshow", "none", "--compact-labels")
    printed = capsys.readouterr()
    assert printed.out == "Type: cpu   Total: 80 ns\nno sample has a label\n"
    assert printed.err == "stackglass: warning: --tagshow none matches no sample\n"


def test_a_dash_is_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONTENT)))
    document = read_report(capsys, "tags", [], "-")
    assert document["file"] == "standard input"
    assert document["total"] == 80
    assert document["labels"][0]["values"][1] == {"value": "/a", "flat": 30, "samples": 1}


def test_means_are_of_the_samples_of_each_value(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """pprof does not divide here."""
    document = read_report(capsys, "tags", ["mean=true", "divide_by=0.5"], path)
    assert document["total"] == 2 * (80 // 3)
    route, user = document["labels"]
    assert route["total"] == 2 * (70 // 2)
    assert [each["flat"] for each in route["values"]] == [80, 60]
    assert [each["flat"] for each in user["values"]] == [80]


def test_functions_without_stacks_are_refused() -> None:
    with pytest.raises(ContentError, match="without the stacks that tags needs"):
        run_command("tags", CPROFILE)
