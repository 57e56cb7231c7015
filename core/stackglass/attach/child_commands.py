"""Child commands: the commands of processes that ``multiprocessing`` starts, by their program.

The command line of such a process, ``python -c "from multiprocessing.spawn import …"``, does not
name the program, so it is replaced by that of the nearest ancestor that is the program itself::

    python app.py
     ├─▶ python -c "from multiprocessing.spawn …"         app.py [multiprocessing child]
     └─▶ python -c "from multiprocessing.forkserver …"    app.py [multiprocessing fork server]
          └─▶ forked, with the same line                  app.py [multiprocessing child]
"""

from __future__ import annotations

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc

RESOURCE_TRACKER = "resource tracker"
"""The role of a process that runs none of the program's code."""
_ROLES = (
    ("from multiprocessing.spawn import", "child"),
    ("from multiprocessing.forkserver import", "fork server"),
    ("from multiprocessing.resource_tracker import", RESOURCE_TRACKER),
)
_MOST_ANCESTORS = 8  # a child may have children of its own


def read_command_line(pid: int, proc: Proc = PROC) -> str:
    """The command of process ``pid`` in one line; for a process of multiprocessing, its program's
    command and its role. "" = a kernel thread, a zombie, or hidden by the system. Raises
    NoSuchProcessError."""
    try:
        words = proc.read_command(pid)
    except PermissionError:
        return ""
    role = find_role(words)
    if not role:
        return _join(words)
    is_forked = False
    at = pid
    for _ in range(_MOST_ANCESTORS):
        try:
            at = proc.read_stat(at).parent
            above = proc.read_command(at)
            is_forked = is_forked or above == words
            if not find_role(above):
                # Another executable has only adopted a process whose parent has ended.
                is_program = proc.read_link(at, "exe") == proc.read_link(pid, "exe")
                words = above if is_program else words[:1]
                break
        except (NoSuchProcessError, PermissionError):
            words = words[:1]
            break
    return f"{_join(words)} [multiprocessing {'child' if is_forked else role}]"


def find_role(words: list[str]) -> str:
    """The role in multiprocessing of a process with this command; "" = it has none."""
    code = words[words.index("-c") + 1 :][:1] if "-c" in words else []
    for start, role in _ROLES:
        if code and code[0].startswith(start):
            return role
    return ""


def _join(words: list[str]) -> str:
    return " ".join(" ".join(words).split())
