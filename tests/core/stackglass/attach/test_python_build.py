"""Versions as Python writes them."""

from __future__ import annotations

import pytest

from harness.pythons import Python, find_pythons
from harness.targets import start_in_state
from stackglass.attach.proc import PROC
from stackglass.attach.python_build import find_python, format_version


@pytest.mark.parametrize(
    ("number", "version"),
    [
        (0x030B07F0, "3.11.7"),
        (0x030D00F0, "3.13.0"),
        (0x030F00A1, "3.15.0a1"),
        (0x030E00B4, "3.14.0b4"),
        (0x030E00C2, "3.14.0rc2"),
    ],
)
def test_a_version_number_as_text(number: int, version: str) -> None:
    assert format_version(number) == version


@pytest.mark.parametrize("python", find_pythons().present, ids=lambda one: one.label)
def test_every_python_is_recognised(python: Python) -> None:
    with start_in_state(python, "sleep") as target:
        build = find_python(target.pid, PROC.read_maps(target.pid))
        assert build is not None
        assert build.version == python.version
        assert build.is_free_threaded == python.is_free_threaded
        assert build.has_debug_offsets == (python.minor >= 13)
