"""Program: the command that starts the program which ``stackglass run`` is given."""

from __future__ import annotations

import os
import shutil
import sys

from stackglass.errors import UsageError

_PYTHON_FLAGS = ("-m", "-c")


def find_command(words: list[str]) -> list[str]:
    """The command for ``-m MODULE ARG…``, ``-c CODE ARG…``, ``SCRIPT ARG…`` or ``COMMAND ARG…``.

    A file that ends in .py, .pyc, .pyz or .zip is a script, and so is a path with a slash to a
    folder or to a file that cannot be executed. Another word is a command if PATH finds it, and
    runs under the Python that its first line names; else it is a script.
    Raises UsageError if there is no such program.
    """
    first = words[0]
    if first in _PYTHON_FLAGS:
        if len(words) == 1:
            raise UsageError(f"{first} needs an argument", "stackglass run --help")
        return [sys.executable, *words]
    if _is_script(first):
        return [sys.executable, *words]
    if shutil.which(first) is None:
        if os.path.exists(first):
            return [sys.executable, *words]
        raise UsageError(f"no file and no command is called {first}", "stackglass run --help")
    return list(words)


def name_program(words: list[str]) -> str:
    """The name of the program's files: ``serve`` for ``app/serve.py`` and for ``-m app.serve``."""
    first = words[0]
    if first == "-c":
        return "python"
    if first == "-m":
        return words[1].rpartition(".")[2] if len(words) > 1 else "python"
    name = os.path.basename(os.path.abspath(first))
    return name[:-3] if name.endswith(".py") else name


def _is_script(path: str) -> bool:
    if path.endswith((".py", ".pyc", ".pyz", ".zip")):
        return os.path.exists(path)
    if os.sep not in path:
        return False
    return os.path.isdir(path) or (os.path.isfile(path) and not os.access(path, os.X_OK))
