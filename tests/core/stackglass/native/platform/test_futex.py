"""Sleeping in hooks on the program's threads."""

from __future__ import annotations

import errno

from native import _core_testing as core


def test_a_wait_for_a_claim_keeps_errno() -> None:
    """Its sleep ends by a timeout, which the system reports in errno."""
    assert core.lock_wait_end_errno(errno.EXDEV) == errno.EXDEV
