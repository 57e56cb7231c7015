"""The offsets that are read from outside are those that the engine reads inside."""

from __future__ import annotations

import pytest

from native import _core_testing as core
from stackglass.attach import interpreter_layout
from stackglass.attach.interpreter_layout import InterpreterLayout

# The engine's names, in the order of InterpreterLayout, without the first.
NAMES = (
    "interp_next",
    "interp_threads",
    "thread_id",
    "native_thread_id",
    "current_frame",
    "cframe_frame",
    "previous",
    "code",
    "instruction",
    "owner",
    "co_filename",
    "co_name",
    "co_qualname",
    "co_firstlineno",
    "co_linetable",
    "co_firsttraceable",
    "co_adaptive",
    "ascii_data",
    "compact_data",
)


@pytest.mark.parametrize("minor", sorted(interpreter_layout._TABLE))
def test_tables_agree(minor: int) -> None:
    inside = core.layout_for(minor)
    assert isinstance(inside, dict)
    outside = InterpreterLayout(*interpreter_layout._TABLE[minor])
    assert list(outside[1:]) == [inside[name] for name in NAMES]
