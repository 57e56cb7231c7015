"""``--label-var module:VAR``: context variables of a program as labels; none of its code runs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from stackglass.errors import UsageError

_MOST = 4  # as the engine (labels/variables.h)
_MOST_BYTES = 127
_FORM = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def add_variable_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option that ``read_variables`` reads."""
    parser.add_argument(
        "--label-var",
        action="append",
        metavar="MODULE:VAR",
        help="make the value of this context variable, a str or an int, the label VAR of CPU and "
        f"wall samples, waits of tasks and stalls; may be repeated, {_MOST} at most",
    )


def read_variables(words: Sequence[str] | None) -> tuple[str, ...]:
    """The variables that the options name, each once. Raises UsageError."""
    variables = tuple(dict.fromkeys(words or ()))
    for variable in variables:
        if not _FORM.fullmatch(variable) or len(variable.encode()) > _MOST_BYTES:
            raise UsageError(
                f"--label-var {variable} names no variable", "for example app.context:request_id"
            )
    if len(variables) > _MOST:
        raise UsageError(f"--label-var can be given {_MOST} times", "leave some out")
    return variables
