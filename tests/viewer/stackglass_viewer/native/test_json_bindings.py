"""Arguments of the readers of JSON."""

from __future__ import annotations

from array import array

import pytest

from stackglass_viewer.native import _loops


def test_content_of_another_type_is_not_held() -> None:
    content = array("I", [1])
    with pytest.raises(TypeError, match="content"):
        _loops.read_json_table(content, 0, 4, (b"a",))  # type: ignore[arg-type]
    content.append(2)  # BufferError if the refused content is still viewed
