"""Texts of command lines: the program first, without the interpreter."""

from __future__ import annotations

from pathlib import Path

from stackglass_viewer.model.units import make_printable

_OPTIONS_WITH_VALUE = ("-m", "-X", "-W", "--check-hash-based-pycs")  # of the python command
_CODE = "python -c"
_FORK_OF = "fork of "
_SERVICES = ("fork server", "resource tracker")


def name_command(command: str) -> str:
    """Return the program of a command line: a script's or module's name, else the executable's.
    For a process that multiprocessing starts for itself, return its purpose."""
    for service in _SERVICES:
        if command.endswith(f"[multiprocessing {service}]"):
            return service
    return _split(command)[0].rstrip(":")


def name_process(name: str, command: str, forker: int) -> str:
    """Return a process's name. ``name``: the name that the program gave it, or ""; ``forker``: the
    PID of the process that forked it, or 0."""
    return name or (_FORK_OF if forker else "") + name_command(command)


def shorten_command(command: str) -> str:
    """Return program and arguments: ``web.py 8801``, ``gunicorn: worker [app]``."""
    program, arguments = _split(command)
    return make_printable(" ".join((program, *arguments))) if command else ""


def _split(command: str) -> tuple[str, list[str]]:
    """Return program and arguments of a command line."""
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
    """Return a file's name; for ``…/pip/__main__.py`` the name of the package."""
    program = Path(path)
    return program.parent.name if program.name == "__main__.py" else program.name


def name_family(title: str, n_children: int) -> str:
    """Return the title of a process with its children: ``server.py 4711 and 3 children``."""
    return f"{title} and {_count_children(n_children)}"


def name_children(title: str, n_children: int) -> str:
    """Return the title of a process's children without it: ``3 children of server.py 4711``."""
    return f"{_count_children(n_children)} of {title}"


def _count_children(n: int) -> str:
    return f"{n} {'child' if n == 1 else 'children'}"


def name_tab(title: str, parent: str = "") -> str:
    """Return the text of a process's tab, from its title ``server.py 4711``.

    Beside the tab of its parent (title ``parent``) only the difference is shown: ``└ fork 4712``.
    """
    if not parent:
        return title
    name, _, pid = title.rpartition(" ")
    program = parent.rpartition(" ")[0]
    short = {program: pid, f"{_FORK_OF}{program}": f"fork {pid}"}
    return f"└ {short.get(name, title)}"
