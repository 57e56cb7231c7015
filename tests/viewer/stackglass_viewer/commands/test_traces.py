"""``stackglass traces``: its text; its samples are compared with pprof's in tests/contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.profiles import encode_labels, encode_stacks
from harness.reports import read_report, run_command

RULE = "-----------+" + "-" * 55


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    content = encode_stacks("main;load\x1b 30\nmain;save 40")
    path.write_bytes(encode_labels(content, [{"user": "1", "route": "/a"}, {}]))
    return path


def test_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("traces", path, "--compact-labels") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Type: cpu   Total: 70 ns",
        RULE,
        "     route:  /a",
        "      user:  1",
        "     30 ns   load\ufffd",
        "             main",
        RULE,
        "     40 ns   save",
        "             main",
        RULE,
    ]


def test_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = read_report(capsys, "traces", ["focus=save"], path)
    assert document["total"] == 70  # the whole
    assert document["traces"] == [
        {
            "value": 40,
            "labels": {},
            "stack": [{"name": "save", "file": "save.py"}, {"name": "main", "file": "main.py"}],
        }
    ]
