"""``stackglass ps``: its table and its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from stackglass.attach.processes import ProcessInfo
from stackglass.cli import main
from stackglass.commands import ps

FINE = ProcessInfo(7, "3.13.0", "python app.py", "me", 12_345_678, True, "", "")
REFUSED = ProcessInfo(
    123456, "", "python3 \x1b[2J", "bob", 900, False, "it belongs to bob", "run as bob"
)
KEYS = ["pid", "python", "command", "owner", "rss_bytes", "attachable", "reason"]


def test_json_has_exactly_the_documented_keys() -> None:
    fine, refused = json.loads(ps.format_json([FINE, REFUSED]))
    assert list(fine) == list(refused) == KEYS
    assert fine["rss_bytes"] == 12_345_678
    assert (fine["attachable"], fine["reason"]) == (True, "")
    assert (refused["attachable"], refused["reason"]) == (False, "it belongs to bob: run as bob")


def test_no_process_is_an_empty_array() -> None:
    assert json.loads(ps.format_json([])) == []


def test_the_table_says_why_not() -> None:
    assert ps.format_table([FINE, REFUSED], 0).splitlines() == [
        "   PID  PYTHON  OWNER  MEMORY  COMMAND",
        "     7  3.13.0  me        12M  python app.py",
        "123456  ?       bob      900B  python3 ?[2J",
        "        cannot be attached to: it belongs to bob: run as bob",
    ]


def test_a_terminal_cuts_commands() -> None:
    long = FINE._replace(command="python " + "x" * 200)
    for line in ps.format_table([long], 60).splitlines():
        assert len(line) <= 60


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0B"), (999, "999B"), (1000, "1.0K"), (4_404_019, "4.2M"), (3 << 40, "3.0T")],
)
def test_sizes(size: int, text: str) -> None:
    assert ps.abbreviate_bytes(size) == text


def test_a_process_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    words = [sys.executable, "-c", "input()", "some argument"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        try:
            assert main(["ps", "--json"]) == 0
        finally:
            process.kill()
    rows = {row["pid"]: row for row in json.loads(capsys.readouterr().out)}
    assert os.getpid() not in rows
    row = rows[process.pid]
    assert row["command"].endswith("-c input() some argument")
    assert row["rss_bytes"] > 0
