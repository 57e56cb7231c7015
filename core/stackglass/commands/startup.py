"""``stackglass startup``: installs the file by which environment variables profile any program."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import sysconfig
from typing import Callable

from stackglass.errors import OutputError
from stackglass.wire import profile_file

LINE = (
    "import os; exec('try: import stackglass\\nexcept ImportError: pass') "
    "if os.environ.get('STACKGLASS_PROFILE') or os.environ.get('STACKGLASS_VIEW') else None\n"
)
"""Python runs this line as it starts. Without the variables or Stackglass nothing happens."""
_NAME = "stackglass_startup.pth"
_N_STARTS = 25
_FIRST_RUN = """
import os, sys, time  # site has imported os by then
begin_ns = time.perf_counter_ns()
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        exec(line)
print(time.perf_counter_ns() - begin_ns)
"""
"""Does what ``site`` does with the file, in a Python of its own: a second run in the same Python
takes a quarter of the time."""
_EPILOG = """\
install makes every Python of this environment honour STACKGLASS_PROFILE, STACKGLASS_OUTPUT, the
rates (STACKGLASS_CPU_HZ …) and STACKGLASS_VIEW, also in programs that do not import stackglass.
remove undoes it. The file is harmless after an uninstall of Stackglass.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s install | remove | status"
    parser.description = (
        "Install or remove the file by which programs of this Python environment are profiled "
        "when the environment variable STACKGLASS_PROFILE is set, and shown in the viewer when "
        "STACKGLASS_VIEW is 1."
    )
    parser.epilog = _EPILOG
    parser.add_argument("action", choices=("install", "remove", "status"), help="what to do")


def run(arguments: argparse.Namespace) -> int:
    """Install, remove or describe the file. Returns 0. Raises OutputError."""
    path = os.path.join(sysconfig.get_path("purelib"), _NAME)
    actions: dict[str, Callable[[str], str]] = {
        "install": install,
        "remove": remove,
        "status": describe,
    }
    print(actions[arguments.action](path))
    return 0


def install(path: str) -> str:
    """Write the file; returns what to print. Raises OutputError."""
    profile_file.check_writable(path)
    profile_file.write_file(path, LINE.encode())
    return f"installed: {describe(path)}"


def remove(path: str) -> str:
    """Remove the file; returns what to print. Raises OutputError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return f"not installed: there is no {path}"
    except OSError as error:
        raise OutputError(f"cannot remove {path}: {error.strerror}") from error
    return f"removed {path}"


def describe(path: str) -> str:
    """Whether the file is there, and what it costs each start of Python."""
    if not os.path.exists(path):
        return f"not installed: there is no {path}"
    cost_us = measure(path) / 1e3
    return (
        f"{path}\nEach start of {sys.executable} takes {cost_us:.0f} µs longer (median of "
        f"{_N_STARTS}, measured now); with STACKGLASS_PROFILE or STACKGLASS_VIEW set, as long as "
        "the engine needs."
    )


def measure(path: str) -> int:
    """Nanoseconds that a start of Python takes for the file while the variables are unset."""
    environment = {**os.environ}
    for variable in ("STACKGLASS_PROFILE", "STACKGLASS_VIEW"):
        environment.pop(variable, None)
    command = [sys.executable, "-I", "-S", "-c", _FIRST_RUN, path]
    return round(
        statistics.median(
            int(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
            for _ in range(_N_STARTS)
        )
    )
