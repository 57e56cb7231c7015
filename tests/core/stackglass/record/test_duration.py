"""Durations on the command line; commands' own tests have their messages."""

from __future__ import annotations

import argparse

import pytest

from stackglass.record.duration import read_duration_ns


@pytest.mark.parametrize(
    ("text", "duration_ns"),
    [("5", 5 * 10**9), (".25", 250_000_000), ("1e-9", 1), ("999999999", 999_999_999 * 10**9)],
)
def test_seconds_become_nanoseconds(text: str, duration_ns: int) -> None:
    assert read_duration_ns(text) == duration_ns


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e9"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"{text} is not a duration"):
        read_duration_ns(text)


def test_what_is_no_number_is_refused() -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--duration", type=read_duration_ns)
    with pytest.raises(argparse.ArgumentError, match="invalid number value: 'soon'"):
        parser.parse_args(["--duration", "soon"])
