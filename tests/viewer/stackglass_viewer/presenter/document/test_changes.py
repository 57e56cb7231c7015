"""Texts of differences."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.presenter.document.changes import describe_changes


def test_what_grew_comes_before_what_shrank() -> None:
    changes = np.array([2048, -1024, 1024, 0])
    assert describe_changes(changes, "bytes") == "+3.00 KiB, −1.00 KiB"
    assert describe_changes(-changes[:1], "bytes") == "−2.00 KiB"
    assert describe_changes(np.zeros(3, np.int64), "bytes") == ""
