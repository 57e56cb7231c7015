"""pprof's own test files, and 198 combinations of options: seven reports as ``go tool pprof``'s."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from harness.inlined_profile import write_labelled
from harness.report_agreement import REPORTS, find_differences

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
PUBLIC = sorted(
    path
    for path in (CORPUS / "google-pprof").iterdir()
    if path.name not in ("LICENSE", "README.md")
)
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

PAIRED = (
    *("focus=b", "ignore=c", "hide=b", "show=a|c", "show_from=b", "prune_from=c"),
    *("noinlines=true", "relative_percentages=true", "divide_by=7", "sort=cum"),
    *("granularity=lines", "granularity=addresses", "granularity=filefunctions"),
    *("tagroot=route", "tagfocus=1kb:", "taghide=.", "nodecount=5", "nodefraction=0.05"),
)
ALONE = (
    *("focus=^b$", "focus=none_such", "focus=[[:alpha:]]", "ignore=none_such", "hide=.", "show=."),
    *("show_from=none_such", "prune_from=.", "noinlines=false", "trim=false", "edgefraction=0.05"),
    *("trim_path=/src:/usr", "source_path=/my/app", "tagfocus=route=a", "tagignore=.", "taghide=k"),
    *("tagignore=bytes=:1kb", "tagshow=route", "tagleaf=state,k", "tagroot=route,k", "tagroot=x"),
    *("tagfocus=route:", "granularity=functions", "compact_labels=true"),
    *("divide_by=0.5", "sort=flat", "drop_negative=true", "focus=a", "tagroot=wait,bytes"),
)
TABLE = [
    [],
    *([each] for each in (*PAIRED, *ALONE)),
    *(
        [one, other]
        for one, other in combinations(PAIRED, 2)
        if one.partition("=")[0] != other.partition("=")[0]
    ),
]


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_every_report_of_a_public_file(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    n_compared, differing = find_differences(capsys, path, [[]])
    assert differing == []
    assert n_compared >= len(REPORTS)


@pytest.mark.parametrize(
    "names",
    [
        ("go.http.heap.gc.pb.gz", "google-pprof/gobench.heap"),
        ("google-pprof/java.heap", "google-pprof/java.heap"),
        ("go.fetch.block.pb.gz", "go.fetch.mutex.pb.gz", "go.fetch.block.pb.gz"),
    ],
)
def test_several_files_are_added_up(
    capsys: pytest.CaptureFixture[str], names: tuple[str, ...]
) -> None:
    first, *others = (CORPUS / name for name in names)
    table = [[], ["granularity=lines"], ["tagroot=bytes"]]
    reports = [each for each in REPORTS if each != "raw"]  # which lists mapped files without use
    n_compared, differing = find_differences(capsys, first, table, reports, others)
    assert sorted({(report, *options[1:]) for report, options, _, _ in differing}) == []
    assert n_compared >= len(reports)


@pytest.mark.parametrize("report", REPORTS)
def test_combinations_of_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, report: str
) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    n_compared, differing = find_differences(capsys, path, TABLE, [report])
    assert sorted({" ".join(o[2:]) for _, o, _, _ in differing}) == []
    assert n_compared >= 150
