"""``stackglass top``: the table, its JSON, and what it says when it cannot."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.pprof_tables import read_go_top
from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer import top_command
from stackglass_viewer.model.errors import ContentError, PatternError, SampleTypeError
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

LABELS: list[dict[str, str]] = [
    {"wait": "socket.recv"},
    {"wait": "socket.send", "thread": "1"},
    {},
]
TEXT = "main;work;parse 30\nmain;work 15\nmain;idle 5"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "profile"
    path.write_bytes(encode_stacks(TEXT))
    return path


def run(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    top_command.add_arguments(parser)
    return top_command.run(parser.parse_args([str(word) for word in words]))


def test_text(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(profile) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["File: profile", "Duration: 1.00 s", "Type: cpu   Total: 50 ns"]
    assert [line.split() for line in lines[3:]] == [
        ["flat", "flat%", "sum%", "cum", "cum%", "name"],
        ["30", "ns", "60.00%", "60.00%", "30", "ns", "60.00%", "parse"],
        ["15", "ns", "30.00%", "90.00%", "45", "ns", "90.00%", "work"],
        ["5", "ns", "10.00%", "100.00%", "5", "ns", "10.00%", "idle"],
        ["0", "ns", "0.00%", "100.00%", "50", "ns", "100.00%", "main"],
    ]


def test_a_dash_is_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(encode_stacks(TEXT))))
    assert run("-") == 0
    assert capsys.readouterr().out.startswith("File: standard input\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nothing")))
    with pytest.raises(ContentError, match="cannot open standard input: it is a text file"):
        run("-")


def test_a_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = os.openpty()
    with os.fdopen(controller, "rb"), os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(ContentError, match="is a terminal"):
            run("-")


def test_the_header_says_what_the_file_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = Message.FromString(gzip.decompress(encode_stacks(TEXT)))
    message.string_table.extend(["/usr/bin/app", "beef", "a comment\x1b[31m", "another"])
    n = len(message.string_table)
    message.mapping.add(id=1, filename=n - 4, build_id=n - 3)
    message.comment.extend([n - 2, n - 1])
    message.time_nanos = 1_700_000_000_999_999_999
    path = tmp_path / "cpu.pb"
    path.write_bytes(message.SerializeToString())
    run(path)
    assert capsys.readouterr().out.splitlines()[:7] == [
        "File: cpu.pb",
        "Program: app, build beef",
        "Time: 2023-11-14 22:13:20 UTC",
        "Duration: 1.00 s",
        "Comment: a comment\ufffd[31m",
        "Comment: another",
        "Type: cpu   Total: 50 ns",
    ]
    run(path, "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == "cpu.pb"
    assert document["time_unix_ns"] == 1_700_000_000_999_999_999
    assert document["duration_ns"] == 1_000_000_000
    assert document["comments"] == ["a comment\x1b[31m", "another"]


def test_json_is_exact_and_whole(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(profile, "--json", "--cum")
    assert json.loads(capsys.readouterr().out) == {
        "file": "profile",
        "time_unix_ns": None,
        "duration_ns": 1_000_000_000,
        "comments": [],
        "warnings": [],
        "sample_types": [
            {"name": "samples", "unit": "count"},
            {"name": "cpu", "unit": "nanoseconds"},
        ],
        "sample_index": "cpu",
        "unit": "nanoseconds",
        "total": 50,
        "rows": [
            {"name": "main", "file": "main.py", "line": 0, "flat": 0, "cum": 50},
            {"name": "work", "file": "work.py", "line": 0, "flat": 15, "cum": 45},
            {"name": "parse", "file": "parse.py", "line": 0, "flat": 30, "cum": 30},
            {"name": "idle", "file": "idle.py", "line": 0, "flat": 5, "cum": 5},
        ],
    }


@pytest.mark.parametrize("option", ["--sample-index", "--profile"])
@pytest.mark.parametrize("wanted", ["0", "samples"])
def test_other_values(
    profile: Path, option: str, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(profile, "--json", option, wanted)
    document = json.loads(capsys.readouterr().out)
    assert (document["sample_index"], document["unit"], document["total"]) == (
        "samples",
        "count",
        3,
    )


def test_fewer_rows(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(profile, "-n", "1")
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.checklist(105)
def test_of_a_difference_everything_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checklist 105."""
    path = tmp_path / "x"
    path.write_bytes(encode_stacks("main;a 30\nmain;b -10"))
    run(path, "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["total"] == 40
    values = {row["name"]: (row["flat"], row["cum"]) for row in document["rows"]}
    assert values == {"a": (30, 30), "b": (-10, -10), "main": (0, 20)}


def test_cprofile_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.prof"
    f, g = ("a.py", 1, "f"), ("a.py", 9, "f")
    rows = {f: (1, 2, 0.25, 0.5, {}), g: (3, 3, 0.125, 0.125, {f: (2, 2, 0.1, 0.1), g: 1})}
    path.write_bytes(marshal.dumps(rows))
    run(path, "--json")
    document = json.loads(capsys.readouterr().out)
    place = {"name": "f", "file": "a.py"}
    assert document["rows"] == [
        {
            **(place | {"line": 1, "flat": 250_000_000, "cum": 500_000_000}),
            **{"calls": 2, "primitive_calls": 1, "callers": []},
        },
        {
            **(place | {"line": 9, "flat": 125_000_000, "cum": 125_000_000}),
            **{"calls": 3, "primitive_calls": 3},
            "callers": [
                {
                    **(place | {"line": 1, "calls": 2, "primitive_calls": 2}),
                    **{"flat_ns": 100_000_000, "cum_ns": 100_000_000},
                },
                {
                    **(place | {"line": 9, "calls": 1, "primitive_calls": 1}),
                    **{"flat_ns": None, "cum_ns": None},  # old files count calls alone
                },
            ],
        },
    ]
    assert [each["name"] for each in document["sample_types"]] == ["time", "calls"]
    run(path, "--callers")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[3:]]
    assert [line[-3:] for line in lines] == [
        ["2/1", "f", "a.py:1"],
        ["3", "f", "a.py:9"],
        ["from", "f", "a.py:1"],
        ["from", "f", "a.py:9"],
    ]
    assert lines[2][:3] == ["100", "ms", "2"]
    assert lines[3][:2] == ["?", "1"]


def test_sampling_profilers_write_such_files_without_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """pyinstrument's pstats export has −1 in their place."""
    path = tmp_path / "pyinstrument.prof"
    f, g = ("a.py", 1, "f"), ("a.py", 9, "g")
    rows = {f: (-1, -1, 0.25, 0.5, {}), g: (-1, -1, 0.25, 0.25, {f: (-1, -1, 0.25, 0.25)})}
    path.write_bytes(marshal.dumps(rows))
    run(path, "--callers")
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["Type:", "time", "Total:", "500", "ms"],
        ["flat", "flat%", "sum%", "cum", "cum%", "name"],
        ["250", "ms", "50.00%", "50.00%", "500", "ms", "100.00%", "f", "a.py:1"],
        ["250", "ms", "50.00%", "100.00%", "250", "ms", "50.00%", "g", "a.py:9"],
        ["250", "ms", "from", "f", "a.py:1"],
    ]
    run(path, "--json")
    (_, row) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["calls"], row["callers"][0]["calls"]) == (None, None)


def test_a_base_is_subtracted(
    tmp_path: Path, profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = tmp_path / "base.pb.gz"
    base.write_bytes(encode_stacks("main;idle 5\nmain;work;parse 10"))
    run(profile, "--json", "--base", base)
    document = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row["flat"] for row in document["rows"]}
    assert rows["parse"] == 20
    assert "idle" not in rows
    run(profile, "--json", "--diff-base", base)
    assert json.loads(capsys.readouterr().out)["total"] == 15  # the base's
    table = tmp_path / "x.prof"
    table.write_bytes(marshal.dumps({("a.py", 1, "f"): (1, 2, 0.25, 0.5, {})}))
    with pytest.raises(ContentError, match="cannot be subtracted"):
        run(profile, "--base", table)
    with pytest.raises(ContentError, match="--normalize needs a base"):
        run(profile, "--normalize")


def test_callers_of_a_file_with_stacks_are_elsewhere(profile: Path) -> None:
    with pytest.raises(ContentError, match="--callers is for files of functions"):
        run(profile, "--callers")


def test_names_cannot_drive_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.prof"
    path.write_bytes(marshal.dumps({("a.py", 1, "f\x1b[31m\n"): (1, 2, 0.25, 0.5, {})}))
    run(path)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert len(out.splitlines()) == 4


def test_labels_are_a_filter_as_pprofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same rows as pprof's, of a total that is the whole profile's."""
    path = tmp_path / "waits"
    path.write_bytes(encode_labels(encode_stacks("f;a 30\nf;b 15\nf;c 5"), LABELS))
    for words, names in (
        (["--tagfocus", "wait=socket"], {"a", "b", "f"}),
        (["--tagfocus", "wait=^socket.recv$"], {"a", "f"}),
        (["--tagfocus", "wait:socket"], {"a", "b", "f"}),
        (["--tagfocus", "wait=recv,send"], {"a", "b", "f"}),
        (["--tagfocus", "wait:socket,thread:1"], {"b", "f"}),
        (["--tagignore", "wait=."], {"c", "f"}),
        (["--tagfocus", "wait=socket", "--tagignore", "thread=^1"], {"a", "f"}),
        (["--tagfocus", "other=x"], set()),
    ):
        run(path, "--json", *words)
        document = json.loads(capsys.readouterr().out)
        found = {row["name"]: (row["flat"], row["cum"]) for row in document["rows"]}
        assert set(found) == names
        assert document["total"] == 50
        filters = (word.replace("--", "-") for word in words)
        assert found == read_go_top(path, 1, "nanoseconds", *filters)
    with pytest.raises(PatternError, match="not a regular expression"):
        run(path, "--tagfocus", "wait=(")
    cprofile = tmp_path / "x.prof"
    cprofile.write_bytes(marshal.dumps({("a.py", 1, "f"): (1, 2, 0.25, 0.5, {})}))
    with pytest.raises(ContentError, match="no labels"):
        run(cprofile, "--tagfocus", "wait=x")


def test_errors_are_the_commands(profile: Path, tmp_path: Path) -> None:
    with pytest.raises(SampleTypeError, match="samples, cpu"):
        run(profile, "--sample-index", "heap")
    with pytest.raises(ContentError, match="no such file"):
        run(tmp_path / "none")


def test_it_needs_no_qt() -> None:
    code = (
        "import sys; import stackglass_viewer.top_command as t; "
        "assert not [m for m in sys.modules if m.startswith(('PySide6', 'pyqtgraph'))]"
    )
    path = [each for each in sys.path if each]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_differences_are_shares_of_all_that_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "diff.pb.gz"
    path.write_bytes(encode_stacks("main;load 50\nmain;save -30"))
    run(path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "Type: cpu   Total: 80 ns"
    rows = [line.split() for line in lines[4:]]
    assert rows[1] == [
        "-30",
        "ns",
        "37.50%",
        "25.00%",
        "-30",
        "ns",
        "37.50%",
        "save",
    ]  # as pprof prints it


def test_a_profile_of_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.pb.gz"
    path.write_bytes(encode_stacks(""))
    assert run(path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no samples of this type"
    path.write_bytes(Message(string_table=["", "x"], time_nanos=5).SerializeToString())
    with pytest.raises(ContentError, match=r"empty\.pb\.gz: it has no sample types"):
        run(path)


def test_a_default_type_without_samples_is_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ddtrace's files name no default, and their last type is for GPUs."""
    message = Message.FromString(gzip.decompress(encode_stacks(TEXT)))
    for sample in message.sample:
        sample.value[1] = 0
    path = tmp_path / "gpu.pb"
    path.write_bytes(message.SerializeToString())
    run(path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("Type: samples   Total: ")
    assert lines[3] == "The default type, cpu, has no samples."
    assert len(lines) > 5
    run(path, "--sample-index", "cpu")
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("Type: cpu   Total: 0")
    assert "default" not in lines[3]
