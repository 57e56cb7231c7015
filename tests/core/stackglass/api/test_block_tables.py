"""Which profiles of a block of code are named."""

from __future__ import annotations

import pytest

from stackglass.api.block_tables import read_names
from stackglass.errors import UsageError


def test_profiles_are_named_once() -> None:
    assert read_names("cpu,heap,cpu", "-p") == ("cpu", "heap")
    assert read_names("", "-p") == ("cpu",)
    with pytest.raises(UsageError, match="exclude each other"):
        read_names("wall,cpu", "-p")
    with pytest.raises(UsageError, match="-p: there is no profile 'tasks'"):
        read_names("tasks", "-p")
