"""pprof's own test files, and 198 combinations of options: seven reports as ``go tool pprof``'s.

This is the short part of ``make pprof-agreement``, which takes all options for every file.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.agreed_differences import (
    FILE_REASONS,
    REASONS,
    find_reason,
    is_made_up_mapping,
    is_order_of_equals,
)
from harness.go_tool import WITHOUT_GO, look_for_go
from harness.inlined_profile import write_labelled
from harness.printed_trees import Row
from harness.report_agreement import REPORTS, Difference, find_differences
from harness.report_options import DIFFERING, TABLE
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/corpus"
PUBLIC = sorted(
    path
    for path in (CORPUS / "google-pprof").iterdir()
    if path.name not in ("LICENSE", "README.md")
)
# The first call lets go build its pprof, which it then keeps.
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(look_for_go() is None, reason=WITHOUT_GO),
]


def list_faults(differing: list[Difference]) -> list[str]:
    """But for the order of equal rows, and mapped files that pprof makes up."""
    return [
        each.place
        for each in differing
        if not is_order_of_equals(each) and not is_made_up_mapping(each)
    ]


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_every_report_of_a_public_file(path: Path) -> None:
    n_compared, differing = find_differences(path, [[]])
    assert list_faults(differing) == []
    assert n_compared >= len(REPORTS)


@pytest.mark.parametrize(
    "names",
    [
        ("go.http.heap.gc.pb.gz", "google-pprof/gobench.heap"),
        ("google-pprof/java.heap", "google-pprof/java.heap"),
        ("go.fetch.block.pb.gz", "go.fetch.block.pb.gz", "go.fetch.block.pb.gz"),
    ],
)
def test_several_files_are_added_up(names: tuple[str, ...]) -> None:
    first, *others = (CORPUS / name for name in names)
    table = [[], ["granularity=lines"], ["tagroot=bytes"]]
    reports = [each for each in REPORTS if each != "raw"]  # which lists mapped files without use
    n_compared, differing = find_differences(first, table, reports, others)
    assert list_faults(differing) == []
    assert n_compared >= len(reports)


@pytest.mark.parametrize("report", REPORTS)
def test_combinations_of_options(tmp_path: Path, report: str) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    n_compared, differing = find_differences(path, TABLE, [report])
    assert list_faults(differing) == []
    assert n_compared >= 150


def test_every_difference_on_purpose_is_known_by_its_reason(tmp_path: Path) -> None:
    labelled, folders, names, controls, numbers = (
        tmp_path / name for name in ("labelled", "folders", "names", "controls", "numbers")
    )
    write_labelled(labelled)
    _write_libraries(folders)
    message = Message.FromString(labelled.read_bytes())
    content = message.SerializeToString()
    names.write_bytes(content.replace(b"x(int)", b"x(\xffnt)"))
    table = [[], *([each] for each in DIFFERING), ["showcolumns=true", "granularity=lines"]]
    controls.write_bytes(content.replace(b"x(int)", b"x(\tnt)"))
    numbers.write_bytes(_spread_numbers(message).SerializeToString())
    changed = (folders, names, controls, numbers)
    public = (CORPUS / "go.work.goroutine.debug1.txt", CORPUS / "google-pprof/go.godoc.thread")
    differing = [
        *find_differences(labelled, table)[1],
        *find_differences(CORPUS / "go.work.goroutine.pb.gz", table, ["top"])[1],
        *(each for path in (*changed, *public) for each in find_differences(path, [[]])[1]),
    ]
    found = {find_reason(each): each.place for each in differing}
    assert found.pop(None, "") == ""
    assert found.keys() == REASONS.keys()


def test_a_wrong_number_has_no_reason(tmp_path: Path) -> None:
    path, numbers = tmp_path / "labelled.pb", tmp_path / "numbers.pb"
    write_labelled(path)
    message = _spread_numbers(Message.FromString(path.read_bytes()))
    numbers.write_bytes(message.SerializeToString().replace(b"x(int)", b"x(\tnt)"))
    of_raw = find_differences(numbers, [[]], ["raw"])[1]
    assert of_raw
    for report in REPORTS:
        _, differing = find_differences(path, [["granularity=files"], ["mean=true"]], [report])
        for each in (*differing, *of_raw):
            assert find_reason(each._replace(found=_change(each.found))) is None, each.place


def test_a_mean_of_a_function_is_of_its_lines_without_a_value_too(tmp_path: Path) -> None:
    path = tmp_path / "lines.pb"
    message = Message(string_table=["", "n", "count", "space", "bytes", "f", "f.py"])
    message.sample_type.add(type=1, unit=2)
    message.sample_type.add(type=3, unit=4)
    message.function.add(id=1, name=5, filename=6)
    for line, values in enumerate(([2, 10], [3, 0]), 1):
        message.location.add(id=line).line.add(function_id=1, line=line)
        message.sample.add(location_id=[line], value=values)
    path.write_bytes(message.SerializeToString())
    _, differing = find_differences(path, [["mean=true"]], ["list"])
    *_, of_bytes = differing
    assert of_bytes.found == {("f", "f.py"): (2, 2)}
    assert find_reason(of_bytes) == "`--mean` in `tags` and `list`; of calls in `tree` and `peek`"


def test_the_reasons_are_those_of_the_page() -> None:
    page = (ROOT / "docs/limits.md").read_text()
    section = page.partition("## Where reports differ from pprof")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \|", section, re.MULTILINE)
    assert set(rows) >= {*REASONS, *FILE_REASONS}


def _spread_numbers(message: Message) -> Message:
    """Locations have the numbers 3, 6, 9 …, mapped files 5, 10 …"""
    spread = Message.FromString(message.SerializeToString())
    for mapping in spread.mapping:
        mapping.id *= 5
    for location in spread.location:
        location.id *= 3
        location.mapping_id *= 5
    for sample in spread.sample:
        sample.location_id[:] = [3 * each for each in sample.location_id]
    return spread


def _write_libraries(path: Path) -> None:
    """A function without a name in each of two libraries of one name."""
    message = Message(string_table=["", "n", "count", "/a/lib.so", "/b/lib.so"])
    message.sample_type.add(type=1, unit=2)
    for number in (1, 2):
        start = number << 20
        message.mapping.add(
            id=number, filename=2 + number, memory_start=start, memory_limit=start + 4096
        )
        message.location.add(id=number, mapping_id=number, address=start + 16)
        message.sample.add(location_id=[number], value=[number])
    path.write_bytes(message.SerializeToString())


def _change(report: object) -> object:
    """A report with one number that is another one."""
    if isinstance(report, int):
        return report + 1
    if isinstance(report, dict):
        key = next(iter(report))
        return {**report, key: _change(report[key])}
    if isinstance(report, Row):
        return report._replace(flat=report.flat + 1)
    if isinstance(report, tuple):
        at = next(k for k, each in enumerate(report) if not isinstance(each, str))
        return (*report[:at], _change(report[at]), *report[at + 1 :])
    assert isinstance(report, list)
    if isinstance(report[0], str):  # lines of raw
        return [*report[:-1], report[-1] + "1"]
    return [_change(report[0]), *report[1:]]
