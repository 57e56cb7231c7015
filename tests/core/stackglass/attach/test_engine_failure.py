"""Engine failure: an errno of the target as a cause. Failures of engines are in integration/."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from stackglass.attach.engine_failure import explain_error
from stackglass.attach.proc import Proc

LIMITS = "Limit                     Soft Limit           Hard Limit           Units     \n"


@pytest.mark.parametrize(
    ("limit", "cause"),
    [
        ("1073741824", "its address space is limited to 1073741824 bytes (RLIMIT_AS)"),
        ("unlimited", "the system gives it no more memory or mappings (Cannot allocate memory)"),
    ],
)
def test_memory_is_short_without_a_limit_of_the_process(
    tmp_path: Path, limit: str, cause: str
) -> None:
    (tmp_path / "42").mkdir()
    row = f"Max address space         {limit:<20} unlimited            bytes     \n"
    (tmp_path / "42/limits").write_text(LIMITS + row)
    assert explain_error(42, errno.ENOMEM, "", Proc(str(tmp_path))) == cause
