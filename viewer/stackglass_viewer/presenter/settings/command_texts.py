"""Texts of command lines: the program first, without the interpreter."""

from __future__ import annotations

from pathlib import Path

_OPTIONS_WITH_VALUE = ("-m", "-X", "-W", "--check-hash-based-pycs")  # of the interpreter
_CODE = "python -c"
_FORK_OF = "fork of "
_SERVICES = ("fork server", "resource tracker")


def name_command(command: str) -> str:
    """The program a command line is about: a script's name, a module's, else the executable's.
    Of processes that multiprocessing starts for itself, what they are there for."""
    for service in _SERVICES:
        if command.endswith(f"[multiprocessing {service}]"):
            return service
    return _split(command)[0].rstrip(":")


def name_process(name: str, command: str, forker: int) -> str:
    """``name``: that it was given, if any; ``forker``: the process that has forked it, else 0."""
    return name or (_FORK_OF if forker else "") + name_command(command)


def shorten_command(command: str) -> str:
    """The same with its arguments: ``web.py 8801``, ``gunicorn: worker [app]``."""
    program, arguments = _split(command)
    return " ".join((program, *arguments)) if command else ""


def _split(command: str) -> tuple[str, list[str]]:
    """Program and arguments."""
    words = command.split()
    if not words:
        return "process", []
    # A loader may stand before the interpreter: ld-linux.so --library-path … python3 script.py.
    pythons = [n for n, word in enumerate(words) if Path(word).name.startswith("python")]
    if not pythons:
        return _name_program(words[0]), words[1:]
    at = pythons[0] + 1
    while at < len(words):
        word = words[at]
        if word == "-c":
            return _CODE, words[at + 1 :]
        if word in _OPTIONS_WITH_VALUE:
            if word == "-m" and at + 1 < len(words):
                return words[at + 1], words[at + 2 :]
            at += 1
        elif not word.startswith("-"):
            return _name_program(word), words[at + 1 :]
        at += 1
    return _name_program(words[pythons[0]]), []


def _name_program(path: str) -> str:
    """A file's name; of a package that is run, ``…/pip/__main__.py``, the package's."""
    program = Path(path)
    return program.parent.name if program.name == "__main__.py" else program.name


def name_tab(title: str, parent: str = "") -> str:
    """The tab of a process with this title, ``server.py 4711``; beside that of its parent only what
    differs: ``└ fork 4712``."""
    if not parent:
        return title
    name, _, pid = title.rpartition(" ")
    program = parent.rpartition(" ")[0]
    short = {program: pid, f"{_FORK_OF}{program}": f"fork {pid}"}
    return f"└ {short.get(name, title)}"
