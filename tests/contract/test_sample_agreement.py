"""``stackglass tags`` and ``traces``: the sums and the samples of ``go tool pprof``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_shell import print_reports
from harness.reports import read_report

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

OPTIONS: tuple[list[str], ...] = (
    *([], ["sample_index=n"], ["focus=b"], ["ignore=c"], ["hide=b"], ["show=a|c"], ["focus=none"]),
    *(["show_from=b"], ["prune_from=c"], ["noinlines=true"], ["tagfocus=route=a"], ["tagignore=."]),
    *(["tagfocus=bytes=1kb"], ["tagignore=bytes=:0kb"], ["tagshow=route|size"], ["taghide=^k$"]),
    *(["tagshow=none"], ["taghide=."], ["tagshow=t", "taghide=te"], ["divide_by=3"]),
    *(["tagfocus=route:", "tagshow=wait"], ["tagignore=k=1", "focus=a", "tagshow=s"]),
    *(["granularity=lines"], ["granularity=files", "noinlines=true"], ["granularity=addresses"]),
    *(["tagroot=route"], ["tagleaf=state"], ["tagroot=route,k", "tagleaf=size,bytes"]),
    *(["tagroot=wait", "unit=us", "sample_index=n"], ["tagroot=none"]),
    *(["tagleaf=bytes", "unit=kb", "sample_index=n"], ["unit=mb", "sample_index=n"]),
    *(["tagroot=route", "focus=/a"], ["tagleaf=route", "ignore=^route$"]),
    *(["tagroot=k", "granularity=filefunctions"], ["tagroot=route", "taghide=route", "hide=b"]),
)
_KEY = re.compile(r" *(?P<key>\S+): Total (?P<total>-?\d+)\w* of (?P<whole>-?\d+)")
_VALUE = re.compile(r" *(?P<flat>-?\d+)\w*(?: \([^)]*\))?: *(?P<value>.*)")
_RULE = re.compile(r"^-+\+-+\n", re.MULTILINE)
_LABEL = re.compile(r" *(\S+):  (.*)")
_FRAME = re.compile(r"(?: *(-?\d+)\w*| {10}) {3}(.*)")
Sums = dict[str, tuple[int, dict[str, int]]]
Samples = list[tuple[list[str], int, list[str]]]


def read_tags(text: str) -> Sums:
    sums: Sums = {}
    for line in filter(None, text.splitlines()):
        key, value = _KEY.match(line), _VALUE.match(line)
        if key:
            last: dict[str, int] = {}
            sums[key["key"]] = (int(key["total"]), last)
        else:
            assert value, f"not a row of -tags: {line!r}"
            last[value["value"]] = int(value["flat"])
    return sums


def read_our_tags(document: Any) -> Sums:
    return {
        tag["key"]: (tag["total"], {each["value"]: each["flat"] for each in tag["values"]})
        for tag in document["labels"]
    }


def read_traces(text: str) -> Samples:
    samples: Samples = []
    for block in _RULE.split(text)[1:]:
        labels: list[str] = []
        stack: list[str] = []
        value = 0
        for line in block.splitlines():
            label, frame = _LABEL.fullmatch(line), _FRAME.fullmatch(line)
            if label and not stack:
                labels.append(f"{label[1]}: {label[2].strip()}")
            else:
                assert frame, f"not a row of -traces: {line!r}"
                value = value if stack else int(frame[1])
                stack.append(frame[2].replace("/proc/self/cwd/", ""))  # all else trims it, too
        if stack:
            samples.append((sorted(labels), value, stack))
    return samples


def read_our_traces(document: Any) -> Samples:
    return [
        (
            sorted(f"{key}: {' '.join(texts)}".strip() for key, texts in each["labels"].items()),
            each["value"],
            [
                frame["name"] + (" (inline)" if frame.get("inlined") else "")
                for frame in each["stack"]
            ],
        )
        for each in document["traces"]
    ]


def check(
    capsys: pytest.CaptureFixture[str], path: Path, table: Sequence[list[str]], unit: str
) -> None:
    given = [
        options if any(each.startswith("unit=") for each in options) else [unit, *options]
        for options in table
    ]
    tags, traces = (print_reports(command, given, path) for command in ("tags", "traces"))
    for options, of_tags, of_traces in zip(given, tags, traces, strict=True):
        sums = read_our_tags(read_report(capsys, "tags", options, path))
        assert sums == read_tags(of_tags), options
        samples = read_our_traces(read_report(capsys, "traces", options, path))
        assert samples == read_traces(of_traces), options


def test_a_file_with_everything(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    check(capsys, path, OPTIONS, "unit=B")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("go.http.heap.gc.pb.gz", "unit=B"),
        ("go.http.cpu2s.pb.gz", "unit=ns"),
        ("go.work.goroutine.pb.gz", "unit=minimum"),
        ("go.fetch.block.pb.gz", "unit=ns"),
    ],
)
def test_files_of_go(capsys: pytest.CaptureFixture[str], name: str, unit: str) -> None:
    table: tuple[list[str], ...] = (
        [],
        ["sample_index=0"],
        ["focus=main"],
        ["granularity=lines"],
        ["tagroot=bytes"],
    )
    check(capsys, CORPUS / name, table, unit)


def test_means_of_traces(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    options = ["unit=B", "mean=true"]
    (theirs,) = print_reports("traces", [options], path)
    assert read_our_traces(read_report(capsys, "traces", options, path)) == read_traces(theirs)
