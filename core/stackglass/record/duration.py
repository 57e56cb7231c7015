"""Durations on the command line."""

from __future__ import annotations

_MOST_S = 1e9


def read_duration_ns(text: str) -> int:
    """Nanoseconds from a text in seconds, for argparse. Raises ArgumentTypeError, ValueError."""
    duration_s = float(text)
    if not 0 < duration_s < _MOST_S:
        import argparse  # here for start-up time

        raise argparse.ArgumentTypeError(f"{text} is not a duration: give seconds above 0")
    return int(duration_s * 1e9)


read_duration_ns.__name__ = "number"  # for argparse's message about an invalid text
