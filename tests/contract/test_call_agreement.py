"""``stackglass tree`` and ``peek``: the rows and the edges of ``go tool pprof``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.inlined_profile import write_labelled
from harness.pprof_shell import print_reports
from harness.printed_trees import read_our_tree, read_tree
from harness.profiles import encode_stacks
from harness.reports import read_report
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)

FILTERS: tuple[list[str], ...] = (
    *([], ["sample_index=n"], ["focus=b"], ["ignore=c"], ["hide=b"], ["show=a|c"], ["focus=none"]),
    *(["show_from=b"], ["prune_from=c"], ["noinlines=true"], ["tagfocus=route=a"], ["sort=cum"]),
    *(["tagroot=route"], ["tagleaf=state,k"], ["tagroot=route", "focus=/a"], ["divide_by=3"]),
    *(["granularity=lines"], ["granularity=filefunctions"], ["granularity=addresses"]),
    *(["granularity=lines", "noinlines=true"], ["granularity=lines", "trim_path=/src:/usr"]),
    *(["granularity=lines", "source_path=/my/app"], ["relative_percentages=true", "focus=c"]),
)
TRIMS: tuple[list[str], ...] = (
    *(["nodefraction=0.1"], ["nodefraction=0.3"], ["nodefraction=0.6"], ["edgefraction=0.1"]),
    *(["edgefraction=0.02", "focus=b"], ["nodecount=1"], ["nodecount=2"], ["nodecount=4"]),
    *(["nodecount=3", "sort=cum"], ["nodecount=2", "nodefraction=0.1", "edgefraction=0.05"]),
    *(["nodecount=2", "trim=false"], ["nodefraction=0.5", "trim=false"], ["drop_negative=true"]),
    *(["drop_negative=true", "nodecount=3"], ["drop_negative=true", "nodefraction=0.05"]),
    *(["nodecount=5", "granularity=lines"], ["nodefraction=0.05", "granularity=addresses"]),
    *(["drop_negative=true", "edgefraction=0.2"], ["drop_negative=true", "edgefraction=0.5"]),
    *(["nodecount=3", "noinlines=true"], ["nodecount=2", "hide=b"], ["nodecount=80"]),
)
_UNTRIMMED = ["nodecount=0", "nodefraction=0", "edgefraction=0"]
_RULE = re.compile(r"^-+\+-+$", re.MULTILINE)


def check(
    capsys: pytest.CaptureFixture[str], path: Path, table: Sequence[list[str]], *unit: str
) -> None:
    """Rows and edges of ``tree``, and of ``peek`` for the functions with a b, in their order."""
    trees = print_reports("tree", [[*unit, *options] for options in table], path)
    peeks = print_reports("peek b", [[*unit, *options] for options in table], path)
    wrong = []
    for options, of_tree, of_peek in zip(table, trees, peeks, strict=True):
        given = [*_UNTRIMMED, *unit, *options]
        spelled = [option for option in given if option != "sort=cum"]
        words = ["--cum"] if "sort=cum" in given else []
        rows = read_our_tree(read_report(capsys, "tree", spelled, path, *words))
        if rows != read_tree(of_tree):
            wrong.append(("tree", options, rows, read_tree(of_tree)))
        untrimmed = [each for each in spelled if not re.match("node|edge|trim=", each)]
        if of_peek:
            rows = read_our_tree(read_report(capsys, "peek", untrimmed, path, "b", *words))
            if rows != read_tree(of_peek):
                wrong.append(("peek", options, rows, read_tree(of_peek)))
    assert wrong == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    return path


def test_filters_and_granularities(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    check(capsys, path, FILTERS, "unit=B")


def test_what_is_left_out(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    check(capsys, path, TRIMS, "unit=B")


def test_values_below_zero(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    message = Message.FromString(path.read_bytes())
    for sample in message.sample[::3]:
        sample.value[1] *= -1
    path.write_bytes(message.SerializeToString())
    check(capsys, path, TRIMS, "unit=B")


def test_means_of_edges(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    """pprof prints sums there: their quotients are compared. Nodes are means in both."""
    options = ["unit=B", "mean=true"]
    (sums,) = print_reports("tree", [["unit=B"]], path)
    (counts,) = print_reports("tree", [["unit=B", "sample_index=n"]], path)
    (means,) = print_reports("tree", [options], path)
    document = read_report(capsys, "tree", [*_UNTRIMMED, *options], path)
    found = read_our_tree(document, is_mean=True)
    nodes = [(row.name, row.flat, row.cum) for row in read_tree(means)]
    assert [(row.name, row.flat, row.cum) for row in found] == nodes
    count_of = {(row.name, name): value for row in read_tree(counts) for name, value in row.callers}
    of_sums = {row.name: row.callers for row in read_tree(sums)}
    for row in found:
        assert dict(row.callers) == {
            name: value // (count_of.get((row.name, name)) or 1)
            for name, value in of_sums[row.name]
        }


def test_edges_may_be_worth_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "zero.pb.gz"
    path.write_bytes(encode_stacks("main;load 5\nmain;load -5\nmain;save 5\nmain 1"))
    check(capsys, path, [[], ["nodefraction=0.1"]], "unit=ns")


@pytest.mark.parametrize(
    ("name", "unit"),
    [("go.http.cpu2s.pb.gz", "unit=ns"), ("go.http.heap.gc.pb.gz", "unit=B")],
)
def test_files_of_go(capsys: pytest.CaptureFixture[str], name: str, unit: str) -> None:
    table: tuple[list[str], ...] = (
        *([], ["sample_index=0"], ["focus=main"], ["granularity=lines"]),
        *(["nodecount=80", "nodefraction=0.005", "edgefraction=0.001"], ["nodecount=15"]),
    )
    check(capsys, CORPUS / name, table, unit)
