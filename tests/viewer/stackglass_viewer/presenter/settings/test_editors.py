"""Which command opens a file at a line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stackglass_viewer.presenter.settings.editors import find_editor


def having(*programs: str) -> Callable[[str], str | None]:
    return lambda name: f"/bin/{name}" if name in programs else None


@pytest.mark.parametrize(
    ("choice", "environment", "programs", "command"),
    [
        ("vscode", {}, ("code",), ["code", "--goto", "/a.py:7"]),
        ("vscode", {}, ("codium",), ["codium", "--goto", "/a.py:7"]),
        ("pycharm", {}, ("pycharm",), ["pycharm", "--line", "7", "/a.py"]),
        ("environment", {"EDITOR": "gedit"}, ("gedit",), ["gedit", "+7", "/a.py"]),
        ("environment", {"EDITOR": "gvim -f"}, ("gvim",), ["gvim", "-f", "+7", "/a.py"]),
        ("environment", {"EDITOR": "subl -w"}, ("subl",), ["subl", "-w", "/a.py:7"]),
        ("environment", {"VISUAL": "kate", "EDITOR": "gedit"}, ("kate", "gedit"),
         ["kate", "--line", "7", "/a.py"]),
        ("environment", {"EDITOR": "vim"}, ("vim", "xterm"), ["xterm", "-e", "vim", "+7", "/a.py"]),
        ("environment", {"EDITOR": "emacs -nw"}, ("emacs", "kitty"),
         ["kitty", "emacs", "-nw", "+7", "/a.py"]),
        ("automatic", {"EDITOR": "vim"}, ("vim", "code"), ["code", "--goto", "/a.py:7"]),
        ("automatic", {"EDITOR": "none"}, ("charm",), ["charm", "--line", "7", "/a.py"]),
        ("automatic", {"EDITOR": "gedit"}, ("gedit", "code"), ["gedit", "+7", "/a.py"]),
    ],
)  # fmt: skip
def test_command(
    choice: str, environment: dict[str, str], programs: tuple[str, ...], command: list[str]
) -> None:
    assert find_editor(choice, "/a.py", 7, environment, having(*programs)) == command


@pytest.mark.parametrize(
    ("choice", "environment", "programs"),
    [
        ("automatic", {}, ()),
        ("vscode", {"EDITOR": "gedit"}, ("gedit",)),
        ("environment", {"EDITOR": "vim"}, ("vim",)),  # and no terminal
        ("environment", {"EDITOR": "'open"}, ("open",)),
    ],
)
def test_without_an_editor_there_is_no_command(
    choice: str, environment: dict[str, str], programs: tuple[str, ...]
) -> None:
    assert find_editor(choice, "/a.py", 7, environment, having(*programs)) is None


def test_an_unknown_line_is_left_out() -> None:
    assert find_editor("vscode", "/a.py", 0, {}, having("code")) == ["code", "/a.py"]
