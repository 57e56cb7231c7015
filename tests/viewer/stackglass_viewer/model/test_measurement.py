"""Units; pprof's own filters are compared in test_tag_filter."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.measurement import scale


@pytest.mark.parametrize(
    ("value", "from_unit", "to_unit", "want"),
    [
        (4096, "bytes", "kb", (4.0, "kB")),
        (3 << 20, "Bytes", "auto", (3.0, "MB")),
        (-2048, "kb", "minimum", (-2.0, "MB")),
        (0, "kb", "auto", (0.0, "B")),
        (1500, "milliseconds", "s", (1.5, "s")),
        (7, "us", "parsecs", (7e-6, "s")),
        (2, "hours", "auto", (2.0, "hrs")),
        (5, "nanogcu", "gcu", (5e-9, "GCU")),
        (7, "widgets", "widgets", (7.0, "widgets")),
        (7, "count", "auto", (7.0, "")),
    ],
)
def test_scaling(value: int, from_unit: str, to_unit: str, want: tuple[float, str]) -> None:
    assert scale(value, from_unit, to_unit) == want
