"""Profiles and the viewer, as environment variables request them at ``import stackglass``.

``stackglass.api.requested_profiles`` and ``requested_viewer`` define the variables. Only programs
honour them, never Stackglass's own commands, which pass the variables on, nor multiprocessing's
resource tracker.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stackglass.attach.child_commands import RESOURCE_TRACKER, find_role
from stackglass.errors import StackglassError

_NAME = "stackglass"


def begin_requested() -> None:
    """Begin what is requested. Raises nothing: each error is a line on standard error."""
    for variable, begin in (("STACKGLASS_PROFILE", _begin_profiles), ("STACKGLASS_VIEW", _view)):
        try:
            if os.environ.get(variable) and _is_in_program():
                begin()
        except StackglassError as error:
            _say(str(error))
        except OSError as error:  # no /proc, or the current folder was removed
            _say(f"{variable}: {error}")
        except ImportError as error:
            _say(f"the extension cannot be loaded ({error}): install stackglass again")


# Imported in the functions, because Stackglass's own commands need neither.
def _begin_profiles() -> None:
    from stackglass.api.program import begin_requested_profiles

    begin_requested_profiles(os.environ, _say)


def _view() -> None:
    from stackglass.requested_viewer import open_requested

    open_requested(os.environ)


def _is_in_program() -> bool:
    with open("/proc/self/cmdline", "rb") as file:
        return is_program(sys.argv, os.fsdecode(file.read()).split("\0"))


def is_program(argv: Sequence[str], command_line: list[str]) -> bool:
    """Whether this process runs a program: not ``stackglass``, ``python -m stackglass`` or
    multiprocessing's resource tracker.

    While Python searches for the module of ``-m``, and imports this package, ``argv[0]`` is ``-m``.
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
