"""``stackglass list`` and ``raw``: their text; what they hold is compared with pprof elsewhere."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from harness.profiles import encode_labels, encode_stacks
from harness.reports import read_report, run_command
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

STACKS = "main;load 30\nmain;save 40"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    path.write_bytes(encode_labels(encode_stacks(STACKS), [{"route": "/a"}, {}]))
    return path


def list_body(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> list[str]:
    assert run_command("listing", path, *words, "--compact-labels") == 0
    return capsys.readouterr().out.splitlines()[2:]


def test_the_source_stands_beside_its_lines(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path.parent / "load.py").write_text("load()\x1b\n\tmore\n")
    assert list_body(capsys, path, "load", f"--source-path={path.parent / 'none'}") == [
        "load in load.py",
        "     30 ns      30 ns  flat, cum: 42.86% of the total",
        "     30 ns      30 ns      1  load()\ufffd",
        "         .          .      2      more",
    ]


@pytest.mark.parametrize(("first", "shown"), [(0, (4, 14)), (2, (2, 14)), (12, (9, 14))])
def test_lines_around_those_with_a_value(
    path: Path, capsys: pytest.CaptureFixture[str], first: int, shown: tuple[int, int]
) -> None:
    (path.parent / "load.py").write_text("x\n" * 20)
    message = Message.FromString(gzip.decompress(path.read_bytes()))
    message.location[0].line[0].line = 9
    message.function[0].start_line = first
    path.write_bytes(message.SerializeToString())
    options = [f"source_path={path.parent}"]
    (listed,) = read_report(capsys, "listing", options, path, "load")["functions"]
    numbers = [line["number"] for line in listed["lines"]]
    assert numbers == list(range(shown[0], shown[1] + 1))


def test_a_source_that_is_not_here_is_said(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    assert list_body(capsys, path, "main") == [
        "main in main.py",
        "         .      70 ns  flat, cum: 100.00% of the total",
        "  there is no main.py here; --source-path names the folders to look in",
        "         .      70 ns      1",
    ]


def test_only_files_of_text_are_read(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile names what it likes: a pipe would wait for ever, a large file fill the memory."""
    monkeypatch.chdir(path.parent)
    os.mkfifo(path.parent / "load.py")
    with (path.parent / "save.py").open("wb") as large:
        large.truncate(1 << 30)
    (path.parent / "main.py").mkdir()
    document = read_report(capsys, "listing", [], path, ".")
    assert [each["has_source"] for each in document["functions"]] == [False] * 3


def test_means_are_of_each_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """pprof prints sums here."""
    document = read_report(capsys, "listing", ["mean=true"], path, "main")
    assert document["functions"][0]["lines"] == [
        {"number": 1, "flat": 0, "cum": 35, "source": None}
    ]


def test_what_matches_nothing_is_an_error(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ContentError, match="no function of profile matches 'none'"):
        run_command("listing", path, "none")
    assert capsys.readouterr().out == ""  # no header without a report


def test_raw(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("raw", path, "--tagfocus=route=a") == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "Type: cpu   Total: 70 ns",
        "Period: 0",
        "Samples:",
        "samples/count cpu/nanoseconds[dflt]",
        "          1         30: 1 2",
        "                route:[/a]",
        "Locations",
        "     1: 0x0 load load.py:1:0 s=0()",
        "     2: 0x0 main main.py:1:0 s=0()",
        "     3: 0x0 save save.py:1:0 s=0()",
        "Mappings",
    ]
    document = read_report(capsys, "raw", ["tagfocus=route=a"], path)
    assert document["samples"] == [
        {"values": [1, 30], "stack": [0, 1], "labels": {"route": ["/a"]}, "numeric_labels": {}}
    ]
    assert document["locations"][0] == {
        "address": 0,
        "mapping": -1,
        "is_folded": False,
        "lines": [{"function": 0, "line": 1, "column": 0}],
    }
    assert document["functions"][0]["name"] == "load"
