"""``stackglass record``: what is refused, and where things go, before any process is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackglass import cli


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "needs a PID, or -- and a command"),
        (["7", "--", "python"], "needs a PID, or -- and a command"),
        (["seven"], "invalid int value: 'seven'"),
        (["7", "--cpu-hz", "0"], "0 is not between 1 and 10000"),
        (["7", "--cpu-hz", "10001"], "10001 is not between 1 and 10000"),
        (["7", "--duration", "0"], "0 is not a duration: give seconds above 0"),
        (["7", "--duration", "nan"], "nan is not a duration: give seconds above 0"),
        (["7", "--duration", "soon"], "invalid number value: 'soon'"),
        (["7", "--clock", "cuckoo"], "invalid choice: 'cuckoo'"),
        (["7", "--profile", "moon"], "invalid choice: 'moon'"),
        (["7", "--heap-rate", "9"], "add --profile heap or --profile allocs"),
        (["7", "--gc", "--profile", "block"], "add --profile heap or --profile allocs"),
        (["7", "--block-rate", "1"], "--block-rate is for the profile block"),
        (["7", "--profile", "block", "--mutex-fraction", "1"], "add --profile mutex"),
        (["7", "--profile", "mutex", "--gil-hz", "1"], "add --profile gil"),
        (["7", "--profile", "block", "--block-rate", "0"], "0 is not between 1 and"),
        (["7", "--profile", "mutex", "--mutex-fraction", "no"], "invalid number value: 'no'"),
        (["7", "--text"], "--text is for the profile heap, allocs, block"),
    ],
)
def test_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    assert cli.main(["record", "-o", str(tmp_path / "cpu.pb.gz"), *words]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_output_is_a_must(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "7"]) == 2
    assert "-o" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_known_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "missing" / "cpu.pb.gz")
    touched = tmp_path / "touched"
    assert cli.main(["record", "-o", output, "--", "touch", str(touched)]) == 1
    assert "there is no folder" in capsys.readouterr().err
    assert not touched.exists()


def test_no_such_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "4194305", "-o", str(tmp_path / "cpu.pb.gz")]) == 1
    error = capsys.readouterr().err
    assert "4194305" in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_command_without_python_runs_and_says_that_nothing_was_recorded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "cpu.pb.gz")
    assert cli.main(["record", "-o", output, "--", "sh", "-c", "echo out; exit 5"]) == 5
    streams = capfd.readouterr()
    assert streams.out == "out\n"
    assert streams.err == "stackglass: sh started no Python that can be recorded\n"
    assert cli.main(["record", "-o", output, "--", "true"]) == 1
    assert not list(tmp_path.iterdir())


def test_several_profiles_go_into_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--profile", "cpu", "--profile", "cpu", "4194305"]
    assert cli.main(["record", "-o", str(tmp_path / "folder"), *words]) == 1
    assert (tmp_path / "folder").is_dir()
    assert "4194305" in capsys.readouterr().err
