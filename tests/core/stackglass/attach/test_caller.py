"""The process that attaches: what it may do, and how root would type what it is doing."""

from __future__ import annotations

import os
import shlex
import sys

import pytest

from stackglass.attach.caller import Caller, describe_caller, read_program

VENV = "/opt/my venv/bin/stackglass"


def spell(argv: list[str], pid: int = 42) -> str:
    program, arguments = read_program(argv, "/usr/bin/python3")
    return Caller(1, 1000, False, program, arguments).spell_as_root(pid)


def test_the_present_process() -> None:
    caller = describe_caller()
    assert caller.pid == os.getpid()
    assert caller.uid == os.geteuid()
    assert caller.program == (sys.executable, "-m", "stackglass"), "pytest is another program"
    assert caller.arguments == ()


def test_a_command_is_repeated_with_its_whole_path() -> None:
    argv = ["/opt/venv/bin/stackglass", "threads", "42", "--native"]
    assert spell(argv) == "sudo /opt/venv/bin/stackglass threads 42 --native"


def test_a_path_from_here_becomes_a_whole_one() -> None:
    assert spell([".venv/bin/stackglass", "waits", "42"]).startswith(f"sudo {os.getcwd()}/.venv/")


def test_a_module_is_run_by_the_same_python() -> None:
    argv = ["/usr/lib/python3/dist-packages/stackglass/__main__.py", "waits", "42"]
    assert spell(argv) == "sudo /usr/bin/python3 -m stackglass waits 42"


@pytest.mark.parametrize(
    "argv",
    [
        ["/opt/bin/stackglass", "attach", "42"],  # root may have no screen
        ["/opt/bin/stackglass", "ps"],
        ["/opt/bin/stackglass"],
        ["/opt/bin/stackglass", "waits", "421"],
    ],
)
def test_other_commands_become_a_recording(argv: list[str]) -> None:
    assert spell(argv) == "sudo /opt/bin/stackglass record -o 42.prof 42"


@pytest.mark.parametrize("argv", [[], [""], ["-c"], ["/srv/shop.py", "42"]])
def test_another_programs_arguments_are_not_repeated(argv: list[str]) -> None:
    assert spell(argv) == "sudo /usr/bin/python3 -m stackglass record -o 42.prof 42"


@pytest.mark.parametrize("word", ["a b", "it's", "", "$(reboot)", "ü", "a;b", "'", "plain-1.2/x"])
def test_a_shell_reads_the_words_as_they_are(word: str) -> None:
    argv = [VENV, "record", "-o", word, "42"]
    assert shlex.split(spell(argv)) == ["sudo", VENV, "record", "-o", word, "42"]
