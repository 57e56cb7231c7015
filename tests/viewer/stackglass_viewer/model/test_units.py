"""Values as text."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.units import (
    drop_zeros,
    format_change,
    format_clock,
    format_count,
    format_share,
    format_value,
    make_sentence,
)


@pytest.mark.parametrize(
    ("value", "unit", "want"),
    [
        (0, "nanoseconds", "0 ns"),
        (7, "nanoseconds", "7 ns"),
        (999, "nanoseconds", "999 ns"),
        (1_234, "nanoseconds", "1.23 µs"),
        (999_600, "nanoseconds", "1.00 ms"),
        (12_345_678, "nanoseconds", "12.3 ms"),
        (123_456_789_012, "nanoseconds", "2.06 min"),
        (1.5, "seconds", "1.50 s"),
        (-2_500, "microseconds", "-2.50 ms"),
        (0, "bytes", "0 B"),
        (1023, "bytes", "1023 B"),
        (1024, "bytes", "1.00 KiB"),
        (524_288, "bytes", "512 KiB"),
        (3 << 30, "bytes", "3.00 GiB"),
        (1_234_567, "count", "1\u202f234\u202f567"),
        (12, "", "12"),
        (12, "widgets", "12 widgets"),
    ],
)
def test_values(value: float, unit: str, want: str) -> None:
    assert format_value(value, unit) == want


@pytest.mark.parametrize(
    ("share", "want"),
    [
        (0, "0%"),
        (0.00001, "<0.01%"),
        (0.0012, "0.12%"),
        (0.1234, "12.3%"),
        (0.9999, ">99.9%"),
        (1, "100%"),
        (-0.25, "-25.0%"),
        (2.5, "250%"),
    ],
)
def test_shares(share: float, want: str) -> None:
    assert format_share(share) == want


def test_counts_keep_their_fraction() -> None:
    assert format_count(1.25) == "1.25"


@pytest.mark.parametrize(
    ("value", "want"), [(2048, "+2.00 KiB"), (-2048, "−2.00 KiB"), (0, "0 B"), (-1, "−1 B")]
)
def test_changes_have_signs(value: int, want: str) -> None:
    assert format_change(value, "bytes") == want


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (0, "0:00"),
        (65, "1:05"),
        (65.34, "1:05.3"),
        (59.97, "1:00"),
        (7265, "2:01:05"),
        (-3, "-0:03"),
    ],
)
def test_clocks(seconds: float, want: str) -> None:
    assert format_clock(seconds) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [("5.00 s", "5 s"), ("64.0 MiB", "64 MiB"), ("1.50 ms", "1.5 ms"), ("100 B", "100 B")],
)
def test_zeros_at_the_end_are_dropped(text: str, want: str) -> None:
    assert drop_zeros(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("the file is cut", "The file is cut."),
        ("RE2 is missing.", "RE2 is missing."),
        ("élan is missing", "Élan is missing."),
        ("worker.pb.gz is cut", "worker.pb.gz is cut."),
        ("localhost:6060 did not answer", "localhost:6060 did not answer."),
        ("refused: ask again", "Refused: ask again."),
        ("cut.", "Cut."),
    ],
)
def test_a_message_becomes_a_sentence(text: str, want: str) -> None:
    assert make_sentence(text) == want
