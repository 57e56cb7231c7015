"""Tag filters choose the samples that ``go tool pprof`` chooses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.labelled_profile import Label, write_labelled
from harness.pprof_shell import print_reports
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.tag_filter import choose_tagged
from stackglass_viewer.model.readers.opener import open_profile

LABELS: list[list[Label]] = [
    [],
    [("bytes", 0, "")],
    [("bytes", 512, "")],
    [("bytes", 1024, "")],
    [("bytes", 65536, "")],
    [("bytes", 65537, ""), ("bytes", 16, "")],
    [("bytes", -2048, "")],
    [("wait", 0, "ms"), ("size", 3, "")],
    [("wait", 1500, ""), ("size", 3, "widgets")],
    [("wait", 2, "seconds"), ("request", 4096, "")],
    [("thread", "7", ""), ("state", "running", "")],
    [("thread", "17", ""), ("state", "waiting", ""), ("state", "idle", "")],
]
FILTERS = (
    *("bytes=1kb:64kb", "1kb:64kb", "bytes=4kb:", ":1kb", "bytes=:1kb", "1kb", "bytes=1kb"),
    *("1024", "bytes=1024", "bytes=1024b", "1024bytes", "0.5kb:1kb", "1KB:64KB", "bytes=512B:1kB"),
    *("-2kb:", ":-1kb", "+1kb:64kb", "1kb:2s", "1s:", "wait=1s:2s", "wait=1500ms", ":1ms", "0ms:"),
    *(
        "size=3",
        "size=3widgets",
        "size=3size",
        "3widgets",
        "request=4kb",
        "4kb",
        "1kb:64kb:",
        "1:2:3",
    ),
    *("thread=7", "thread=^7", "thread=7,17", "thread:7", "thread:7,state:i", "state=wait,idle"),
    *("", "none", "none=1kb", "key==", "thread=", "state:running|waiting", "7", "bytes", "kb:1kb"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "labels.pb", LABELS)


def test_filters_choose_as_pprof_does(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    options = [[f"{name}={each}"] for name in ("tagfocus", "tagignore") for each in FILTERS]
    reports = print_reports("top", options, path)
    found = [re.search(r"Showing nodes accounting for (\d+),", report) for report in reports]
    theirs = [int(each[1]) if each else 0 for each in found]
    chosen = [choose_tagged(profile, each, "") for each in FILTERS]
    chosen += [choose_tagged(profile, "", each) for each in FILTERS]
    sums = [int(each.samples.values.sum()) for each in chosen]
    rows = zip(options, sums, theirs, strict=True)
    assert [row for row in rows if row[1] != row[2]] == []
    assert len(set(sums)) > 25  # the filters differ
    for each, (option,) in zip(chosen, options, strict=True):
        text = option.partition("=")[2]
        is_lost = int(each.samples.values.sum()) == (0 if option.startswith("tagf") else 4095)
        assert bool(each.warnings) == (is_lost and bool(text)), option


def test_what_finds_nothing_says_so(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    chosen = choose_tagged(profile, "thread=7", "none=x")
    assert chosen.warnings == (
        "--tagfocus thread=7 matches no sample: "
        "7 is a range of numbers without a unit; ^7$ is a text",
        "--tagignore none=x matches no sample",
    )


def test_numbers_too_large_are_said(path: Path) -> None:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    with pytest.raises(PatternError, match="64 bits"):
        choose_tagged(profile, "9223372036854775808kb:", "")
    for values in ("9" * 5000, f"bytes=1:-{'9' * 5000}b", "1" + "0" * 20):
        with pytest.raises(
            PatternError, match=r"a number of \d+ digits is not a number of 64 bits"
        ):
            choose_tagged(profile, values, "")
    zeros = "0" * 5000
    chosen = choose_tagged(profile, f"bytes={zeros}512b:{zeros}1024b", "")
    assert chosen.n_samples == choose_tagged(profile, "bytes=512b:1024b", "").n_samples == 2
