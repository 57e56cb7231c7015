"""Dumps of goroutines, as Go's ``debug=2``, a panic and SIGQUIT print them."""

from __future__ import annotations

import pytest

from harness.profile_rows import list_labels, list_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.goroutine_dump import read_goroutine_dump

DUMP = b"""SIGQUIT: quit
PC=0x46f0e1 m=0 sigcode=0

goroutine 1 gp=0xc000002380 m=0 mp=0x5 [chan receive, 5 minutes, locked to thread]:
main.(*Pool).wait(0xc000012345, {0x1, 0x2})
\t/src/my pool.go:230 +0x58
main.main()
\t/src/main.go:12 +0x1d

goroutine 18 [running]:
main.work(...)
\t/src/main.go:7
...additional frames elided...
created by main.main in goroutine 1
\t/src/main.go:11 +0x99

rax    0x0
"""


def test_each_goroutine_is_a_sample_with_its_state() -> None:
    profile = read_goroutine_dump(DUMP)
    assert list_stacks(profile) == [
        ["main.(*Pool).wait:230", "main.main:12"],
        ["main.work:7", "<truncated>:0"],
    ]
    assert profile.samples.values.tolist() == [[1, 1]]
    assert list_labels(profile) == [
        (0, "goroutine", 1),
        (0, "state", "chan receive"),
        (0, "minutes", 5),
        (1, "goroutine", 18),
        (1, "state", "running"),
        (1, "created by", "main.main"),
    ]
    files = {profile.strings[i] for i in profile.functions.filename}
    assert files == {"/src/my pool.go", "/src/main.go", ""}


def test_a_dump_without_an_end_has_its_last_goroutine() -> None:
    text = b"goroutine 7 [select]:\nmain.f()\n\t/src/main.go:3 +0x1"
    assert list_stacks(read_goroutine_dump(text)) == [["main.f:3"]]


def test_none_is_an_error() -> None:
    with pytest.raises(ContentError, match="lists none"):
        read_goroutine_dump(b"panic: no\n")
