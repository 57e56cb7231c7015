"""Failures of the threads that talk to a server, in words."""

from __future__ import annotations

import traceback

from stackglass.errors import StackglassError


def describe_failure(error: Exception) -> str:
    """Return why a request failed, in one sentence. An unexpected error is printed as well, with
    its traceback. Any thread."""
    if isinstance(error, StackglassError):
        return str(error)
    traceback.print_exception(error)
    return " ".join(f"Stackglass failed: {type(error).__name__}: {error}".split())
