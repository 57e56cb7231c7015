"""``stackglass tags`` and ``traces``: the sums and the samples of ``go tool pprof``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_shell import print_reports
from harness.printed_samples import read_our_tags, read_our_traces, read_tags, read_traces
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


_RULE = re.compile(r"^-+\+-+\n", re.MULTILINE)


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
