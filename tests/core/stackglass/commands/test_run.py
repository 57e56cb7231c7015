"""``stackglass run``: where its own options end, and what is refused."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import Any

import pytest

from stackglass import cli
from stackglass.commands import catalogue, run


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["a.py", "-o", "x", "--", "-m"], ["a.py", "-o", "x", "--", "-m"]),
        (["--cpu-hz", "7", "-m", "b", "--", "-o"], ["-m", "b", "--", "-o"]),
        (["-o", "x", "-c", "pass", "-m"], ["-c", "pass", "-m"]),
        (["--children", "--", "python", "-m", "b"], ["python", "-m", "b"]),
        (["--", "--odd"], ["--odd"]),
        (["python", "-m", "b"], ["python", "-m", "b"]),
        ([], []),
    ],
)
def test_the_programs_words_are_its_own(words: list[str], command: list[str]) -> None:
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    assert run.parse(parser, words).command == command


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "run needs a program"),
        (["no-such-program"], "no file and no command is called no-such-program"),
        (["--odd", "a.py"], "unrecognized arguments: --odd"),
        (["--signal", "KILL", "-c", "pass"], "invalid choice: 'KILL'"),
        (["--heap-rate", "9", "-c", "pass"], "--heap-rate is for the profile heap or allocs"),
        (["--children", "-o", "x.pb.gz", "-c", "pass"], "put {pid} into the name"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], line: str) -> None:
    assert cli.main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("word", ["USR2", "SIGUSR2", "usr2"])
def test_a_signal_may_have_its_whole_name(word: str) -> None:
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    assert run.parse(parser, ["--signal", word, "a.py"]).signal == "USR2"
    assert run.parse(parser, ["--signal", "none", "a.py"]).signal == "none"


@pytest.mark.parametrize(("options", "given"), [([], []), (["--children"], ["--children"])])
def test_the_viewer_follows_children_where_the_recorder_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: list[str], given: list[str]
) -> None:
    started: list[list[str]] = []

    def begin(command: object, plan: object, write_signal: object, on_start: Any) -> int:
        on_start(4711)
        return 0

    monkeypatch.setattr(run, "record_command", begin)
    monkeypatch.setattr(catalogue, "check_installed", lambda name: None)
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: started.append(words))
    output = str(tmp_path / "{pid}.pb.gz")
    assert cli.main(["run", "--view", *options, "-o", output, "-c", "pass"]) == 0
    assert [words[3:] for words in started] == [["attach", *given, "4711"]]
