"""Editors: the command that opens a source file at a line.

======================  ===================================================
``$VISUAL, $EDITOR``     the user's own, in a terminal if needed
VS Code and its kin      ``code --goto FILE:LINE``
PyCharm and its kin      ``pycharm --line LINE FILE``
======================  ===================================================
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import PurePath

AUTOMATIC = "automatic"
EDITORS = (AUTOMATIC, "vscode", "pycharm", "environment")
"""The user's choices. ``AUTOMATIC`` = the first installed one of ``_AUTOMATIC_ORDER``."""

_PROGRAMS = {
    "vscode": ("code", "codium", "code-oss", "cursor"),
    "pycharm": ("pycharm", "charm", "pycharm-community", "pycharm-professional"),
}
_GOTO = ("code", "code-insiders", "codium", "code-oss", "cursor")  # FILE:LINE behind --goto
_LINE_OPTION = ("pycharm", "charm", "pycharm-community", "pycharm-professional", "idea", "kate")
_COLON = ("subl", "zed", "hx", "helix", "micro", "lapce")  # FILE:LINE
_IN_TERMINAL = ("vi", "vim", "nvim", "nano", "hx", "helix", "micro", "kak", "joe", "emacs-nox")
_TERMINALS = {
    "x-terminal-emulator": "-e",
    "gnome-terminal": "--",
    "konsole": "-e",
    "xfce4-terminal": "-x",
    "kitty": "",
    "alacritty": "-e",
    "foot": "",
    "xterm": "-e",
}
_AUTOMATIC_ORDER = ("environment", "vscode", "pycharm")

Which = Callable[[str], str | None]  # finds the path of a program, as ``shutil.which`` does


def find_editor(
    choice: str,
    path: str,
    line: int,
    environment: Mapping[str, str] = os.environ,
    which: Which = shutil.which,
) -> list[str] | None:
    """Return the command that opens ``path`` at ``line`` (0 = unknown); None = no editor found.

    ``choice`` is one of ``EDITORS``.
    """
    kinds = _AUTOMATIC_ORDER if choice == AUTOMATIC else (choice,)
    for kind in kinds:
        words = _find_words(kind, environment, which)
        if words is not None:
            command = [*words, *_say_place(PurePath(words[0]).name, path, line)]
            wrapped = _wrap(command, words, which)
            if wrapped is not None:
                return wrapped
    return None


def _find_words(kind: str, environment: Mapping[str, str], which: Which) -> list[str] | None:
    if kind == "environment":
        for name in ("VISUAL", "EDITOR"):
            try:
                words = shlex.split(environment.get(name, ""))
            except ValueError:  # an open quote
                continue
            if words and which(words[0]) is not None:
                return words
        return None
    return next(([each] for each in _PROGRAMS[kind] if which(each) is not None), None)


def _say_place(program: str, path: str, line: int) -> list[str]:
    """Return the arguments for file and line, as ``program`` takes them."""
    if not line:
        return [path]
    if program in _GOTO:
        return ["--goto", f"{path}:{line}"]
    if program in _LINE_OPTION:
        return ["--line", str(line), path]
    return [f"{path}:{line}"] if program in _COLON else [f"+{line}", path]


def _wrap(command: list[str], words: list[str], which: Which) -> list[str] | None:
    """Return the command, in a terminal if the editor needs one; None = there is no terminal."""
    needs_terminal = PurePath(words[0]).name in _IN_TERMINAL or {"-nw", "-t"} & set(words[1:])
    if not needs_terminal:
        return command
    for terminal, option in _TERMINALS.items():
        if which(terminal) is not None:
            return [terminal, *([option] if option else []), *command]
    return None
