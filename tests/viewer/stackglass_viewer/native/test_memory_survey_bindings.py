"""Arguments of a replay's survey."""

from __future__ import annotations

from array import array

import pytest

from stackglass_viewer.native import _loops


def test_lines_of_another_type_are_not_held() -> None:
    replay = _loops.Replay(0, 0, 1, 1)
    line_of = array("q", [1])
    with pytest.raises(TypeError, match="line_of"):
        replay.count_lines(line_of, 1)  # type: ignore[arg-type]
    line_of.append(2)  # BufferError if the refused lines are still viewed
