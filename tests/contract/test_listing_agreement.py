"""``stackglass list`` and ``raw``: the lines and the tables of ``go tool pprof``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_shell import print_reports
from harness.printed_tables import Listing, cut_raw, read_list
from harness.reports import read_report, run_command

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

OPTIONS: tuple[list[str], ...] = (
    *([], ["sample_index=n"], ["focus=b"], ["ignore=c"], ["hide=b"], ["show=a|c"]),
    *(["show_from=b"], ["prune_from=c"], ["noinlines=true"], ["tagfocus=route=a"]),
    *(["divide_by=3"], ["relative_percentages=true", "focus=c"], ["tagignore=k=1", "focus=a"]),
)
RAW = (
    *OPTIONS[2:],
    *([], ["taghide=k"], ["tagshow=route"], ["tagfocus=bytes=1kb"], ["tagshow=none"]),
)


def read_our_list(document: Any, *, has_source: bool) -> Listing:
    listed: Listing = {}
    for each in document["functions"]:
        is_here = has_source and each["file"] in ("app/a.py", "a.py", "b.py")
        assert each["has_source"] == is_here
        if each["file"]:
            lines = {
                line["number"]: (line["flat"], line["cum"], line["source"])
                for line in each["lines"]
                if is_here and (line["flat"] or line["cum"]) and line["number"]
            }
            listed[each["name"], each["file"]] = (each["flat"], each["cum"], lines)
    return listed


def check_list(
    capsys: pytest.CaptureFixture[str],
    path: Path,
    table: Sequence[list[str]],
    regex: str,
    *,
    has_source: bool,
) -> None:
    reports = print_reports(f"list {regex}", table, path)
    n_empty = 0
    for options, report in zip(table, reports, strict=True):
        found = read_our_list(
            read_report(capsys, "listing", options, path, regex), has_source=has_source
        )
        assert found == read_list(report), options
        n_empty += not found
    assert n_empty < 2


def test_lines_with_their_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, folder = tmp_path / "labelled.pb", tmp_path / "src/app"
    write_labelled(path)
    folder.mkdir(parents=True)
    for name in ("a.py", "b.py"):
        (folder / name).write_text("".join(f"{name} {number}\n" for number in range(1, 13)))
    table = [["unit=B", f"source_path={folder}/deeper", *options] for options in OPTIONS]
    (folder / "deeper").mkdir()
    trimmed = [[*options, "trim_path=/src"] for options in table]
    check_list(capsys, path, trimmed, "[abc]", has_source=True)
    guessed = [["unit=B", f"source_path={folder}", *options] for options in OPTIONS]
    check_list(capsys, path, guessed, "[abc]", has_source=True)


def test_sums_without_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    document = read_report(capsys, "listing", ["unit=B"], path, "^x")
    assert [each["file"] for each in document["functions"]] == [""]
    for name, unit in (("go.http.heap.gc.pb.gz", "unit=B"), ("go.http.cpu2s.pb.gz", "unit=ns")):
        table = [[unit], [unit, "sample_index=0"], [unit, "focus=main"], [unit, "noinlines=true"]]
        check_list(capsys, CORPUS / name, table, "json", has_source=False)


@pytest.mark.parametrize("name", ["", "go.http.heap.gc.pb.gz", "go.work.goroutine.pb.gz"])
def test_raw_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    path = CORPUS / name
    if not name:
        path = tmp_path / "labelled.pb"
        write_labelled(path)
    reports = print_reports("raw", RAW, path)
    for options, report in zip(RAW, reports, strict=True):
        words = [f"--{each}".removesuffix("=true") for each in options]
        assert run_command("raw", path, *words) == 0
        found = capsys.readouterr().out
        assert cut_raw(found) == cut_raw(report), options
