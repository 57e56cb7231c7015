"""``stackglass convert``: what is written is read again, by Stackglass and by others."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pstats
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.go_tool import run_pprof
from harness.inlined_profile import write_labelled
from harness.pprof_tables import read_go_top, read_top
from harness.profiles import encode_labels, encode_stacks
from harness.reports import read_report, run_command
from stackglass.errors import OutputError, UsageError
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)
GO_FILES = ("go.http.heap.gc.pb.gz", "go.http.cpu2s.pb.gz", "go.work.goroutine.pb.gz")
OTHERS = ("gperftools.nat.0013.heap", "go.work.goroutine.debug1.txt")


def convert(path: Path, out: Path, *words: str) -> Path:
    assert run_command("convert", path, "-o", out, *words) == 0
    return out


def read(path: Path) -> Profile:
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    return profile


def write_everything(path: Path) -> None:
    """Every field that pprof prints."""
    write_labelled(path)
    message = Message.FromString(path.read_bytes())
    first = len(message.string_table)
    message.string_table.extend(
        ["cpu", "nanoseconds", "a comment", "https://doc", "none.*", "keep", "a_system_name"]
    )
    message.period_type.type, message.period_type.unit = first, first + 1
    message.period, message.time_nanos, message.duration_nanos = 7, 1_700_000_000 * 10**9, 12
    message.comment.append(first + 2)
    message.doc_url, message.drop_frames, message.keep_frames = first + 3, first + 4, first + 5
    message.default_sample_type = message.sample_type[0].type
    message.mapping[0].has_inline_frames = message.mapping[0].has_functions = True
    message.mapping.add(id=2, memory_start=9000, memory_limit=9001, file_offset=3, build_id=1)
    message.location[2].is_folded = True
    message.function[0].system_name, message.function[0].start_line = first + 6, 3
    path.write_bytes(message.SerializeToString())


def test_pprof_reads_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "everything.pb"
    write_everything(path)
    for file in (path, *(CORPUS / name for name in GO_FILES)):
        out = convert(file, tmp_path / "out.pb.gz")
        assert run_pprof("-raw", out) == run_pprof("-raw", file), file
        assert run_pprof("-comments", out) == run_pprof("-comments", file)
    fields = [Message.FromString(read_content(each)) for each in (path, convert(path, out))]
    for name in ("drop_frames", "keep_frames", "doc_url", "default_sample_type"):
        texts = [each.string_table[getattr(each, name)] for each in fields]
        assert texts[0] == texts[1], name
        assert texts[0]


def read_content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def test_the_same_profile_is_the_same_file(tmp_path: Path) -> None:
    outs = [convert(CORPUS / GO_FILES[0], tmp_path / f"{each}.pb.gz") for each in "ab"]
    again = convert(outs[0], tmp_path / "c.pb.gz")
    assert outs[0].read_bytes()[4:8] == bytes(4)  # gzip's time
    assert outs[0].read_bytes() == outs[1].read_bytes() == again.read_bytes()


@pytest.mark.parametrize("name", [*GO_FILES, *OTHERS])
def test_filtered_files_have_pprofs_numbers(tmp_path: Path, name: str) -> None:
    """pprof's filters and its ``-proto`` are the judge."""
    filters = ["-ignore=json", "-hide=^runtime", "-taghide=bytes"]
    theirs = tmp_path / "theirs.pb.gz"
    run_pprof("-proto", f"-output={theirs}", *filters, CORPUS / name)
    out = convert(CORPUS / name, tmp_path / "out.pb.gz", *(f"-{each}" for each in filters))
    for index, kind in enumerate(read(out).sample_types):
        rows = read_go_top(out, index, kind.unit)
        if name not in OTHERS:  # whose comments pprof does not read
            assert rows == read_go_top(theirs, index, kind.unit)
        assert rows == read_top(out, index)
    used = read(out)
    assert set(used.samples.stack.tolist()) == set(range(len(used.locations.address)))
    assert "bytes" not in {used.strings[key] for key in used.labels.key.tolist()}


@pytest.mark.parametrize("name", [*GO_FILES, *OTHERS])
def test_stacks_keep_their_sums(tmp_path: Path, name: str) -> None:
    """Functions and their values are those of the file itself, in each format and type."""
    before = read(CORPUS / name)
    speedscope = convert(CORPUS / name, tmp_path / "out.json")
    table = read_csv(convert(CORPUS / name, tmp_path / "out.csv"))
    for index, kind in enumerate(before.sample_types):
        want = read_top(CORPUS / name, index)
        out = convert(CORPUS / name, tmp_path / "out.folded", f"--sample-index={index}")
        assert read_top(out, 0) == {each.replace(";", ":"): sums for each, sums in want.items()}
        assert sum_speedscope(speedscope, kind.name) == want
        assert {
            row["name"]: (
                int(row[f"{kind.name} flat ({kind.unit})"]),
                int(row[f"{kind.name} cum ({kind.unit})"]),
            )
            for row in table
            if int(row[f"{kind.name} cum ({kind.unit})"])
        } == want


def read_csv(path: Path) -> Sequence[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_row_of_csv_holds_any_name(tmp_path: Path) -> None:
    path = tmp_path / "odd.pb.gz"
    names = ["a\rb", "a\nb", '"a",b', " a\r\n", "=1+1"]
    message = Message.FromString(gzip.decompress(encode_stacks("0 3\n1 4\n2 5\n3 6\n4 7")))
    odd = {str(number): name for number, name in enumerate(names)}
    message.string_table[:] = [odd.get(text, text) for text in message.string_table]
    path.write_bytes(message.SerializeToString())
    text = convert(path, tmp_path / "out.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["name"] for row in rows] == names[::-1]


def sum_speedscope(path: Path, name: str) -> dict[str, tuple[int, int]]:
    """Flat and cum of every function of one of its profiles, straight from the JSON."""
    document = json.loads(path.read_text())
    (chosen,) = (each for each in document["profiles"] if each["name"] == name)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    sums: dict[str, tuple[int, int]] = {}
    for stack, weight in zip(chosen["samples"], chosen["weights"], strict=True):
        for frame in {names[each] for each in stack}:
            flat, cum = sums.get(frame, (0, 0))
            is_leaf = names[stack[-1]] == frame
            sums[frame] = (flat + weight * is_leaf, cum + weight)
    assert chosen["endValue"] == sum(chosen["weights"])
    return sums


def test_our_reader_opens_speedscopes_json(tmp_path: Path) -> None:
    name = GO_FILES[1]
    out = convert(CORPUS / name, tmp_path / "out.json", "--profile=cpu")
    assert read_top(out, 0) == read_top(CORPUS / name, 1)
    both = read(convert(CORPUS / name, tmp_path / "both.json"))
    totals = read(CORPUS / name).samples.values.sum(axis=1).tolist()
    assert sorted(both.samples.values.sum(axis=1).tolist()) == sorted(totals)
    assert json.loads((tmp_path / "both.json").read_text())["profiles"][0]["name"] == "cpu"


def test_names_that_the_format_would_misread(tmp_path: Path) -> None:
    path = tmp_path / "odd.pb.gz"
    message = Message.FromString(gzip.decompress(encode_stacks("#a;b x 3\nc 4\nd 0\n#a;c -2")))
    message.string_table[:] = [{"b x": "b;\nx"}.get(text, text) for text in message.string_table]
    message.sample.add(value=[1, 8])
    path.write_bytes(message.SerializeToString())
    out = convert(path, tmp_path / "out.folded")
    assert out.read_text() == "_#a;b::x 3\nc 4\n_#a;c -2\n<no stack> 8\n"
    assert int(read(out).samples.values.sum()) == 13


def test_a_number_at_the_end_of_a_name_is_no_value(tmp_path: Path) -> None:
    """With two values in every line, the values would be those before and after a change."""
    path = tmp_path / "jobs.pb.gz"
    message = Message.FromString(gzip.decompress(encode_stacks("main;job_1 3\njob_1;job_2 4\nx 5")))
    odd = {"job_1": "job 1", "job_2": "job -2.5", "x": "  "}
    message.string_table[:] = [odd.get(text, text) for text in message.string_table]
    path.write_bytes(message.SerializeToString())
    out = convert(path, tmp_path / "out.folded")
    assert out.read_text() == "main;job:1 3\njob:1;job:-2.5 4\n<unknown> 5\n"
    assert [kind.name for kind in read(out).sample_types] == ["samples"]


def test_labels_are_said_to_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labelled.pb.gz"
    path.write_bytes(encode_labels(encode_stacks("main 3\nmain 4"), [{"route": "/a"}, {}]))
    out = convert(path, tmp_path / "out.folded", "--tagroot=route", "--taghide=route")
    assert out.read_text() == "/a;main 3\n<unknown>;main 4\n"
    assert "left out" not in capsys.readouterr().err
    convert(path, out)
    assert "labels are left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "warning"),
    [("thread", ""), ("route", "labels other than process, thread, profile are left out")],
)
def test_firefox_keeps_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, warning: str
) -> None:
    path = tmp_path / "labelled.pb.gz"
    path.write_bytes(encode_labels(encode_stacks("main 3\nmain 4"), [{key: "a"}, {}]))
    convert(path, tmp_path / "out.firefox.json")
    said = capsys.readouterr().err
    assert warning in said
    assert ("left out" in said) == bool(warning)


@pytest.mark.parametrize(
    ("out", "warning"),
    [
        ("out.firefox.json", "2 samples without a stack are left out"),
        ("out.callgrind", "2 samples without a stack are left out"),
        ("out.folded", ""),  # it calls them <no stack>
    ],
)
def test_samples_without_a_stack_are_said_to_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str, warning: str
) -> None:
    path = tmp_path / "some.pb"
    message = Message.FromString(gzip.decompress(encode_stacks("main 3")))
    for value in (8, 9):
        message.sample.add(value=[1, value])
    path.write_bytes(message.SerializeToString())
    convert(path, tmp_path / out)
    said = capsys.readouterr().err
    assert warning in said
    assert ("left out" in said) == bool(warning)


SESSIONS = (*GO_FILES, *OTHERS, "tachyon.app.bin", "cprofile.workload.py3.12.prof")


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_file_has_the_same_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out = convert(CORPUS / name, tmp_path / f"{name}.sgm")
    reports = [read_report(capsys, "top_command", [], path) for path in (CORPUS / name, out)]
    for report in reports:
        report.pop("file")
        report.pop("warnings")  # of the file's reader
    assert reports[0] == reports[1]
    assert reports[0]["rows"]


def test_filters_go_into_a_session_file(tmp_path: Path) -> None:
    file = CORPUS / GO_FILES[0]
    out = convert(file, tmp_path / "out.sgm", "--ignore=json")
    want = convert(file, tmp_path / "want.pb.gz", "--ignore=json")
    assert convert(out, tmp_path / "again.pb.gz").read_bytes() == want.read_bytes()


def test_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(encode_stacks("main 3"))))
    assert run_command("convert", "-", "-o", "-", "--to", "collapsed") == 0
    assert capfdbinary.readouterr().out == b"# collapsed stacks\nmain 3\n"


def test_stacks_of_one_frame_open_again(tmp_path: Path) -> None:
    path = tmp_path / "single.pb.gz"
    path.write_bytes(encode_stacks("main 3\nidle 4"))
    out = convert(path, tmp_path / "out.folded")
    assert read_top(out, 0) == {"main": (3, 3), "idle": (4, 4)}
    out.write_bytes(out.read_bytes().partition(b"\n")[2])
    with pytest.raises(ContentError, match="text file, not a profile"):
        read(out)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "below.pb.gz"
    path.write_bytes(encode_stacks("main -3"))
    with pytest.raises(ContentError, match="cpu has values below zero"):
        convert(path, tmp_path / "out.json")
    with pytest.raises(UsageError, match="does not say which format"):
        convert(path, tmp_path / "out")
    with pytest.raises(OutputError, match="no folder"):
        convert(path, tmp_path / "none/out.csv")
    for ending in ("pb.gz", "folded", "svg"):
        with pytest.raises(
            ContentError, match=r"without the stacks that --to .* writes: --to session and"
        ):
            convert(CORPUS / "cprofile.workload.py3.12.prof", tmp_path / f"out.{ending}")
    for option in ("--focus=main", "--sample-index=calls", "--normalize", "--granularity=lines"):
        with pytest.raises(ContentError, match="which is converted whole: leave out"):
            convert(CORPUS / "cprofile.workload.py3.12.prof", tmp_path / "out.sgm", option)
    assert [each.name for each in tmp_path.iterdir()] == ["below.pb.gz"]


def test_csv_of_a_cprofile_file_has_the_numbers_of_pstats(tmp_path: Path) -> None:
    path = CORPUS / "cprofile.workload.py3.12.prof"
    with convert(path, tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    stats: dict[Any, Any] = pstats.Stats(str(path)).stats  # type: ignore[attr-defined] # undeclared
    found = {
        (row["file"] or "~", int(row["line"] or 0), row["name"]): (
            *(int(row["primitive calls"]), int(row["calls"])),
            *(int(row["time flat (nanoseconds)"]), int(row["time cum (nanoseconds)"])),
        )
        for row in rows
    }
    assert found == {
        key: (primitive, calls, round(own * 1e9), round(total * 1e9))
        for key, (primitive, calls, own, total, _) in stats.items()
    }
    flat = [int(row["time flat (nanoseconds)"]) for row in rows]
    assert flat == sorted(flat, reverse=True)


@pytest.mark.parametrize("option", ["lines", "noinlines"])
def test_rows_may_be_others(tmp_path: Path, option: str) -> None:
    path = tmp_path / "labelled.pb"
    write_labelled(path)
    word = "--granularity=lines" if option == "lines" else f"--{option}"
    out = convert(path, tmp_path / "out.folded", word)
    want = read_go_top(path, 1, "bytes", f"-{option}")
    found = {each: sums for each, sums in read_top(out, 0).items() if each != "<no stack>"}
    assert found == want


def test_callgrind_annotate_has_the_same_sums(tmp_path: Path) -> None:
    annotate = shutil.which("callgrind_annotate")
    if annotate is None:
        pytest.skip("callgrind_annotate comes with valgrind, which is not installed")
    for name in GO_FILES:
        out = convert(CORPUS / name, tmp_path / "out.callgrind", "--sample-index=0")
        words = [annotate, "--threshold=100", "--auto=no", "--show-percs=no", str(out)]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        flats: dict[str, int] = {}
        for line in text.partition("file:function")[2].splitlines():
            if found := re.match(r" *([\d,]+) +(.*)$", line):
                function = found[2].partition(":")[2]
                flats[function] = flats.get(function, 0) + int(found[1].replace(",", ""))
        want = {key: flat for key, (flat, _) in read_top(CORPUS / name, 0).items() if flat}
        assert flats == want


@pytest.mark.parametrize("name", ["go.http.heap.gc.pb.gz", "go.http.mutex.delta1s.pb.gz"])
def test_pprof_reads_the_text(tmp_path: Path, name: str) -> None:
    """Addresses and values, which is all that it reads there."""
    out = convert(CORPUS / name, tmp_path / "out.pprof.txt")
    for index, kind in enumerate(read(CORPUS / name).sample_types):
        theirs = read_go_top(out, index, kind.unit)
        total = int(read(CORPUS / name).samples.values[index].sum())
        assert sum(flat for flat, _ in theirs.values()) == total
        assert read_top(out, index) == read_top(CORPUS / name, index)


def test_counts_as_text(tmp_path: Path) -> None:
    name = "go.work.goroutine.pb.gz"
    out = convert(CORPUS / name, tmp_path / "out.pprof.txt")
    total = sum(flat for flat, _ in read_top(CORPUS / name, 0).values())
    assert sum(flat for flat, _ in read_go_top(out, 0, "count").values()) == total
    assert read_top(out, 0) == read_top(CORPUS / name, 0)


def test_firefoxs_json_is_told_from_speedscopes_by_its_name(tmp_path: Path) -> None:
    name = "go.http.cpu2s.pb.gz"
    out = convert(CORPUS / name, tmp_path / "out.firefox.json")
    assert "preprocessedProfileVersion" in json.loads(out.read_text())["meta"]
    assert read_top(out, 0) == read_top(CORPUS / name, 1)


def test_pictures(tmp_path: Path) -> None:
    name = "go.http.cpu2s.pb.gz"
    page = convert(CORPUS / name, tmp_path / "out.html", "--focus=json").read_text()
    svg = convert(CORPUS / name, tmp_path / "out.SVG").read_text()
    for text in (page, svg):
        assert "encoding/json.Unmarshal" in text
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert "cpu, total 140 ms" in svg
