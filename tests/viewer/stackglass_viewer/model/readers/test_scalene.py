"""scalene's JSON: shares of the elapsed time, functions of lines, and what is damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.profiles import list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.readers.scalene import read_scalene


def line(number: int, shares: tuple[Any, ...] = (0, 0, 0), **more: Any) -> dict[str, Any]:
    names = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
    measured = dict(zip(names, shares, strict=True))
    return {"lineno": number, "n_malloc_mb": 0, "start_function_line": 0, **measured, **more}


def encode(*lines: dict[str, Any], **more: Any) -> bytes:
    functions = [{"line": "work", "lineno": 6}]
    files = {"app.py": {"functions": functions, "lines": list(lines)}}
    head = {"alloc_samples": 0, "elapsed_time_sec": 2, "program": "app.py"}
    return json.dumps({**head, "files": files, **more}).encode()


WHOLE = encode(
    line(7, (25, 10, 5), start_function_line=6, n_malloc_mb=1.5),
    line(9, (0, 50, 0)),
    line(10),
)


def test_lines_have_their_shares_of_the_time() -> None:
    profile = read_scalene(WHOLE)
    assert list_stacks(profile) == [
        (["work"], [3 << 19, 500_000_000, 200_000_000, 100_000_000, 800_000_000]),
        (["<module>"], [0, 0, 1_000_000_000, 0, 1_000_000_000]),
    ]
    names = [each.name for each in profile.sample_types]
    assert names == ["alloc_space", "python", "native", "system", "time"]
    assert profile.locations.line_number.tolist() == [7, 9]
    assert profile.duration_ns == 2_000_000_000
    assert profile.comments == ("app.py",)


def test_it_opens_by_content() -> None:
    assert isinstance(open_content(WHOLE, "x"), Profile)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        encode(files=5),
        encode(line(7, ("1", 0, 0))),
        encode(line(-7, (1, 0, 0))),
        encode({"lineno": 7}),
        encode(line(7, (1, 0, 0)), elapsed_time_sec=None),
        encode(line(7, (1, 0, 0)), elapsed_time_sec=float("inf")),
    ],
    ids=range(7),
)
def test_what_is_damaged_is_one_line(content: bytes) -> None:
    with pytest.raises(ContentError, match=r"^it is scalene's JSON, but is damaged \(.*\)$"):
        read_scalene(content)
