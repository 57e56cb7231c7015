"""The command line: which command is meant, and what its end looks like."""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path
from types import SimpleNamespace

import pytest

from stackglass import cli
from stackglass.commands import catalogue
from stackglass.errors import AttachError
from stackglass.record import signals
from stackglass.version import VERSION


def make_command(run: Callable[[argparse.Namespace], int], **more: object) -> SimpleNamespace:
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("words", nargs="*")
        parser.add_argument("--number", type=int)

    return SimpleNamespace(add_arguments=add_arguments, run=run, **more)


class Commands:
    """Stands in for the catalogue: commands by name, and what was run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._commands: dict[str, SimpleNamespace] = {}
        self.seen: list[argparse.Namespace] = []
        monkeypatch.setattr(catalogue, "load", self._commands.__getitem__)
        monkeypatch.setattr(catalogue, "list_entries", self._list)
        monkeypatch.setattr(catalogue, "is_known", self._commands.__contains__)

    def add(self, name: str, result: int | BaseException = 0, **more: object) -> None:
        def run(arguments: argparse.Namespace) -> int:
            self.seen.append(arguments)
            if isinstance(result, BaseException):
                raise result
            return result

        self._commands[name] = make_command(run, **more)

    def _list(self) -> list[catalogue.Entry]:
        return [catalogue.Entry(name, f"does {name}", "") for name in self._commands]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(monkeypatch)


def test_a_command_gets_its_words_and_its_code_is_ours(commands: Commands) -> None:
    commands.add("ps", 7)
    assert cli.main(["ps", "a", "--number", "3"]) == 7
    assert commands.seen[0].words == ["a"]
    assert commands.seen[0].number == 3


def test_a_file_means_the_viewer(commands: Commands, tmp_path: Path) -> None:
    commands.add("view")
    (tmp_path / "cpu").touch()
    for words in ([], [str(tmp_path / "cpu")], ["http://host/debug/pprof/"], ["no/such/file"]):
        assert cli.main(words) == 0
        assert commands.seen[-1].words == words
    assert cli.main(["--number", "5"]) == 0
    assert commands.seen[-1].number == 5


def test_words_behind_two_dashes_are_another_programs(commands: Commands) -> None:
    commands.add("record", TAKES_COMMAND=True)
    commands.add("top")
    assert cli.main(["record", "--number", "1", "--", "python", "--number", "--", "x"]) == 0
    assert commands.seen[-1].command == ["python", "--number", "--", "x"]
    assert commands.seen[-1].words == []
    assert cli.main(["top", "--", "-strange-file"]) == 0
    assert commands.seen[-1].words == ["-strange-file"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["recrod"],
            "no command and no file is called 'recrod': did you mean `stackglass record`?",
        ),
        (["zzz"], "no command and no file is called 'zzz': see stackglass --help"),
        (["record", "--number", "x"], "record: argument --number: invalid int value: 'x': see"),
        (["record", "--num", "1"], "record: unrecognized arguments: --num: see stackglass record"),
    ],
)
def test_wrong_usage_is_one_line_and_2(
    commands: Commands, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    commands.add("record", TAKES_COMMAND=True)
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.startswith("stackglass")
    assert error.count("\n") == 1


def test_what_could_not_be_done_is_one_line_and_1(
    commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    commands.add("ps", AttachError("cannot enter 7", "ask nicely"))
    assert cli.main(["ps"]) == 1
    assert capsys.readouterr().err == "stackglass: cannot enter 7: ask nicely\n"


def test_an_interrupt_is_what_a_shell_expects(commands: Commands) -> None:
    commands.add("ps", KeyboardInterrupt())
    assert cli.main(["ps"]) == -signal.SIGINT


def test_help_and_version(commands: Commands, capsys: pytest.CaptureFixture[str]) -> None:
    commands.add("ps")
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"stackglass {VERSION}\n"
    assert cli.main(["--help"]) == 0
    assert "  ps        does ps\n" in capsys.readouterr().out


def test_without_a_viewer_a_file_is_an_error_that_names_the_extra(
    commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    commands.add("ps")
    assert cli.main([]) == 1
    assert "pip install 'stackglass[viewer]'" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "is_brief"), [("ps", True), ("record", False)])
def test_a_brief_command_skips_the_interpreters_end(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, name: str, is_brief: bool
) -> None:
    ends: list[int] = []
    monkeypatch.setattr(os, "_exit", ends.append)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(sys, "argv", ["stackglass", name])
    commands.add(name, 1)
    assert cli.start() == 1
    assert ends == ([1] if is_brief else [])


def test_a_program_that_a_signal_ended_ends_the_command_by_it(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If that ends nothing, the exit status is the shells'."""
    ends: list[int] = []
    monkeypatch.setattr(signals, "end_by", ends.append)
    monkeypatch.setattr(sys, "argv", ["stackglass", "record"])
    commands.add("record", -signal.SIGTERM)
    assert cli.start() == 128 + signal.SIGTERM
    assert ends == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", r"1 204 331 objects in w\xf6rker, \u043e: 3-4 -> 2x..."),
        ("latin-1", r"1 204 331 objects in wörker, \u043e: 3-4 -> 2×..."),
        ("utf-8", "1\u202f204\u202f331 objects in wörker, \u043e: 3–4 → 2×…"),
    ],
)
def test_a_text_that_the_terminal_cannot_show_is_no_error(
    monkeypatch: pytest.MonkeyPatch, encoding: str, shown: str
) -> None:
    def report() -> int:
        sys.stdout.write("1\u202f204\u202f331 objects in wörker, \u043e: 3–4 → 2×…\n")
        return 0

    content = io.BytesIO()
    monkeypatch.setattr(cli, "main", report)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding=encoding))
    monkeypatch.setattr(sys, "argv", ["stackglass", "report"])
    monkeypatch.setattr(gc, "freeze", lambda: None)
    assert cli.start() == 0
    sys.stdout.flush()
    assert content.getvalue().decode(encoding) == shown + "\n"


PRINTER = """
import sys
from stackglass import cli

def run(words):
    print("x" * int(words[1]))
    return 0

cli._run = run
sys.exit(cli.start())
"""


@pytest.mark.parametrize("name", ["ps", "top"])
@pytest.mark.parametrize("n_characters", [10, 5000, 20_000])
def test_output_that_cannot_be_written_is_reported(name: str, n_characters: int) -> None:
    """The disk is full, which is noticed at the end, at the first of two attempts, or at once."""
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", PRINTER, name, str(n_characters)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment,
        )
    assert done.returncode == cli.FAILED
    assert done.stderr == "stackglass: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("how", ["full", "broken"])
def test_an_error_that_nobody_reads_keeps_its_exit_code(how: str) -> None:
    reading, broken = os.pipe()
    os.close(reading)
    with open("/dev/full", "wb") as full, open(broken, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "stackglass", "record"],
            stderr=full if how == "full" else pipe,
            check=False,
        )
    assert done.returncode == cli.WRONG_USAGE


def declare(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = metadata.EntryPoint(name, value, catalogue.GROUP)
    monkeypatch.setattr(catalogue, "_find_entry_points", lambda: {name: point})


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, "top", "no_such_module")
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    assert cli.main(["top"]) == 1
    assert capsys.readouterr().err == (
        "stackglass top needs numpy and protobuf: pip install 'stackglass[files]'\n"
    )


def test_a_python_too_old_for_the_viewer_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare(monkeypatch, "top", "no_such_module")
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    assert cli.main(["top"]) == 1
    assert "stackglass top needs Python 3.11 or newer, this is 3.9" in capsys.readouterr().err


def test_a_command_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, "weather", "sys")
    assert [entry.name for entry in catalogue.list_entries()][-1] == "weather"
    loaded: object = catalogue.load("weather")
    assert loaded is sys
