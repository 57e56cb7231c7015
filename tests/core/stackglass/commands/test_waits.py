"""``stackglass waits``: what is refused before any process is touched."""

from __future__ import annotations

import os

import pytest

from stackglass import cli


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "the following arguments are required: PID"),
        (["seven"], "invalid int value: 'seven'"),
        (["7", "--watch", "0"], "0 is not a duration: give seconds above 0"),
        (["7", "--timeout", "nan"], "nan is not a duration: give seconds above 0"),
        (["7", "--timeout", "soon"], "invalid number value: 'soon'"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], line: str) -> None:
    assert cli.main(["waits", *words]) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("pid", "line"),
    [(4194305, "there is no process 4194305"), (os.getpid(), "is this program")],
    ids=["no process", "ourselves"],
)
def test_what_cannot_be_looked_at(capsys: pytest.CaptureFixture[str], pid: int, line: str) -> None:
    assert cli.main(["waits", str(pid)]) == 1
    streams = capsys.readouterr()
    assert line in streams.err
    assert (streams.err.count("\n"), streams.out) == (1, "")


def test_help_shows_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["waits", "--help"])
    assert ended.value.code == 0
    assert "3 = a deadlock" in " ".join(capsys.readouterr().out.split())
