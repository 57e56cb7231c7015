"""Environment: begins the profiles that it requests, as ``import stackglass`` runs.

The variables are those of ``stackglass.api.requested_profiles``, and are for programs: Stackglass's
own commands, which may start some, and multiprocessing's resource tracker are never profiled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stackglass.attach.child_commands import RESOURCE_TRACKER, find_role
from stackglass.errors import StackglassError

_NAME = "stackglass"


def begin_requested() -> None:
    """Begin them. Raises nothing: what cannot be done is a line on standard error."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            command_line = os.fsdecode(file.read()).split("\0")
        if not is_program(sys.argv, command_line):
            return
        # Imported here, because a program that requests nothing needs no API.
        from stackglass.api.program import begin_requested_profiles

        begin_requested_profiles(os.environ, _say)
    except StackglassError as error:
        _say(str(error))
    except OSError as error:  # no /proc, or the current folder was removed
        _say(f"STACKGLASS_PROFILE: {error}")
    except ImportError as error:
        _say(f"the extension cannot be loaded ({error}): install stackglass again")


def is_program(argv: Sequence[str], command_line: list[str]) -> bool:
    """Whether this process runs something else than ``stackglass``, ``python -m stackglass`` and
    multiprocessing's resource tracker.

    ``argv[0]`` is ``-m`` until the module has been found, and that imports this package.
    """
    if find_role(command_line) == RESOURCE_TRACKER:
        return False
    first = argv[0] if argv else ""
    if first == "-m" and "-m" in command_line:
        return _NAME not in command_line[command_line.index("-m") + 1 :][:1]
    return os.path.basename(first) != _NAME


def _say(text: str) -> None:
    try:
        sys.stderr.write(f"stackglass: {text}\n")
    except (AttributeError, OSError, ValueError):
        return  # a program without a terminal may have no standard error, or one without a reader
