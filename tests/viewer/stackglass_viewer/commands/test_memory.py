"""``stackglass memory`` and what other commands do with a memory trace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.go_tool import run_pprof
from harness.reports import run_command
from harness.session_writer import write_session
from harness.traced_memory import read_trace
from stackglass.errors import UsageError
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.reports.trace_choice import parse_span, parse_time

# The first call lets go build its pprof, which it then keeps.
pytestmark = pytest.mark.timeout(600)
MS = 1_000_000
TEXT = f"""
    0 object 0x100 1000 type=builtins.module
    {1 * MS} alloc 0x100000 2000000 at=main;load;parse type=builtins.bytes
    {2 * MS} gc 0 2
    {3 * MS} gc-end 0 2
    {3 * MS} region 0 type=request
    {4 * MS} alloc 0x400000 64 at=main;load
    {4 * MS} free 0x400000
    {5 * MS} alloc 0x500000 3000 at=main;keep type=app.Node
    {6 * MS} free 0x100000
    {7 * MS} region-end 0 type=request
    {8 * MS} alloc 0x600000 100 at=main;keep type=app.Node
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_session(read_trace(TEXT), tmp_path / "trace.sgm")


def print_memory(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert run_command("memory", *words) == 0
    return capsys.readouterr().out


def read_json(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    return json.loads(print_memory(capsys, *words, "--json"))


def test_the_first_lines_say_what_stands_out(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = print_memory(capsys, path).splitlines()
    assert lines[0] == "trace.sgm: CPython 3.13.0, app.py, 8.00 ms, 11 events"
    assert lines[1] == "Peak: 1.91 MiB in 3 objects, 5.000 ms after the trace began."
    assert lines[2] == "Of that: parse 99.8%."
    assert "At the end: 4.00 KiB live, 3.03 KiB of it allocated in the trace" in lines[3]
    assert "Live at the peak, 5.000 ms: 1.91 MiB in 3 objects" in lines
    assert any(line.startswith("1.91 MiB  99.8%        1  parse") for line in lines)


def test_the_peak_has_whole_stacks(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = read_json(capsys, path, "--peak")["at_peak"]["sites"][0]
    assert [line["function"] for line in site["stack"]] == ["parse", "load", "main"]
    assert (site["bytes"], site["n_objects"], site["type"]) == (2_000_000, 1, "builtins.bytes")


def test_any_moment(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = read_json(capsys, path, "--at", "0.0055")["at"]
    assert report["bytes"] == 2_004_000
    assert read_json(capsys, path, "--at", "500us")["at"]["bytes"] == 1000


def test_leaks_are_what_was_allocated_in_the_trace_and_lives(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = read_json(capsys, path, "--leaks")
    assert "at_peak" not in report
    assert [site["function"] for site in report["leaks"]["sites"]] == ["keep"]
    assert report["leaks"]["bytes"] == 3100


def test_types(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = print_memory(capsys, path, "--leaks", "--types")
    assert "app.Node" in text.splitlines()[-1]


@pytest.mark.parametrize("other", ["--lifetimes", "--rate"])
def test_types_are_those_at_the_peak_beside_other_tables(
    path: Path, capsys: pytest.CaptureFixture[str], other: str
) -> None:
    text = print_memory(capsys, path, other, "--types")
    assert "Live at the peak, 5.000 ms, by type" in text
    assert "at_peak" in read_json(capsys, path, other, "--types")


def test_lifetimes_and_garbage(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = read_json(capsys, path, "--lifetimes")["lifetimes"]
    assert (report["n_allocated"], report["n_freed"]) == (4, 2)
    assert [row["n_objects"] for row in report["lifetimes"]] == [1, 1]
    garbage = report["short_lived"][0]
    assert (garbage["function"], garbage["n_short"], garbage["bytes_short"]) == ("load", 1, 64)
    text = print_memory(capsys, path, "--lifetimes")
    assert "Lifetimes of 2 freed blocks, of 4 allocated" in text


def test_allocation_rates_by_type_over_time(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = read_json(capsys, path, "--rate")
    assert "at_peak" not in document
    rates = document["rates"]
    span_ns, n_spans = rates["span_ns"], rates["n_spans"]
    assert (n_spans - 1) * span_ns <= 8 * MS < n_spans * span_ns
    rows = {row["name"]: row for row in rates["types"]}
    assert list(rows)[:2] == ["builtins.bytes", "app.Node"]
    node, other = rows["app.Node"], rows["builtins.bytes"]
    places = [5 * MS // span_ns, 8 * MS // span_ns]
    assert {at: size for at, size in enumerate(node["bytes"]) if size} == dict(
        zip(places, (3000, 100), strict=True)
    )
    assert [at for at, n in enumerate(node["n_objects"]) if n] == places
    assert {at: n for at, n in enumerate(other["n_objects"]) if n} == {MS // span_ns: 1}
    assert all(len(row["bytes"]) == len(row["n_objects"]) == n_spans for row in rows.values())


def test_allocation_rates_by_line_over_time(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rates = read_json(capsys, path, "--rate")["rates"]
    assert (rates["site_span_ns"], rates["n_site_spans"]) == (rates["span_ns"], rates["n_spans"])
    sites = {row["function"]: row for row in rates["sites"]}
    assert list(sites) == ["parse", "keep", "load"]
    keep = [(at, size) for at, size in enumerate(sites["keep"]["bytes"]) if size]
    places = [5 * MS // rates["span_ns"], 8 * MS // rates["span_ns"]]
    assert keep == list(zip(places, (3000, 100), strict=True))
    assert sum(sites["keep"]["n_objects"]) == 2
    assert (sites["load"]["file"], sites["load"]["line"]) == ("", 0)


def test_allocation_rates_as_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = print_memory(capsys, path, "--rate").splitlines()
    [line] = [line for line in lines if line.endswith("app.Node")]
    rate, objects = line.split()[:2], line.split()[2]
    assert (rate, objects) == (["378", "KiB/s"], "250/s")
    curve = line.split("│")[1]
    assert (curve.count("█"), curve.count("▁"), curve.count(" ")) == (1, 1, len(curve) - 2)
    assert not any("Live at the peak" in line for line in lines)


def test_rows_can_be_limited(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "more rows; -n 0 prints all" in print_memory(capsys, path, "-n", "1")
    assert "more rows" not in print_memory(capsys, path, "-n", "0")
    assert "more rows" not in print_memory(capsys, path, "-n", "-1")


def test_a_time_behind_the_end_is_refused(path: Path) -> None:
    with pytest.raises(UsageError, match=r"the trace ends 0\.008000 s after it began"):
        run_command("memory", path, "--at", "9")


def test_another_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "x.sgm"
    other.write_text("main;work 30\n")
    with pytest.raises(ContentError, match=r"cannot open x\.sgm: it is not a memory trace"):
        run_command("memory", other)


def test_top_shows_the_peak_and_says_so(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command("top_command", path) == 0
    out = capsys.readouterr().out
    assert "Comment: peak: live at 5.000 ms of the memory trace" in out
    assert "Type: inuse_space" in out
    assert "parse" in out


@pytest.mark.parametrize("command", ["tree", "peek", "traces", "raw", "tags"])
def test_other_reports_read_it_too(
    command: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["main"] if command == "peek" else []
    assert run_command(command, path, *words) == 0
    assert "peak: live at" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sample_index", "expected"),
    [
        (["--at", "1.5ms"], "inuse_space", 2_001_000),
        (["--peak"], "inuse_space", 2_004_000),
        ([], "inuse_space", 2_004_000),
        (["--span", "4ms:8ms"], "alloc_space", 3164),
        (["--span", "0.0045:"], "alloc_space", 3100),
        (["--leaks"], "inuse_space", 3100),
    ],
)
def test_convert_writes_a_moment_or_a_span(
    words: list[str], sample_index: str, expected: int, path: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.pb.gz"
    assert run_command("convert", path, "-o", out, *words) == 0
    profile = open_profile(out)
    assert isinstance(profile, Profile)
    names = [each.name for each in profile.sample_types]
    assert int(profile.samples.values[names.index(sample_index)].sum()) == expected


def test_pprof_reads_what_convert_writes(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pb.gz"
    assert run_command("convert", path, "-o", out, "--at", "1.5ms") == 0
    top = run_pprof("-top", "-unit=b", "-sample_index=inuse_space", out)
    assert "of 2001000B total" in top
    assert "parse" in top


def test_convert_writes_lanes_for_perfetto(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.trace.json"
    assert run_command("convert", path, "-o", out) == 0
    events = json.loads(out.read_bytes())["traceEvents"]
    slices = [each for each in events if each["ph"] == "X"]
    assert [(each["cat"], each["name"], each["ts"], each["dur"]) for each in slices] == [
        ("collection", "generation 2", 2000.0, 1000.0),
        ("region", "request", 3000.0, 4000.0),
    ]
    counters = [each for each in events if each["ph"] == "C" and each["name"] == "live bytes"]
    assert counters[-1]["args"]["value"] == 4100
    threads = {
        each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"
    }
    assert threads[7] == "MainThread"
    assert [threads[each["tid"]] for each in slices] == [
        "MainThread: collection",
        "MainThread: region",
    ]


@pytest.mark.parametrize(
    "option",
    ["--span=1ms:2ms", "--leaks", "--focus=main", "--sample-index=0", "--granularity=lines"],
)
def test_lanes_are_of_a_whole_trace(option: str, path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lanes are of a whole memory trace"):
        run_command("convert", path, "-o", tmp_path / "x.trace.json", option)


def test_a_span_behind_the_end_is_refused(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.pb.gz"
    for span in ("9:", "9:10", "99999999999999999999:99999999999999999999"):
        with pytest.raises(UsageError, match=r"the trace ends 0\.008000 s after it began"):
            run_command("convert", path, "-o", out, "--span", span)
    assert not out.exists()


def test_a_file_that_is_missing_is_said_to_be_missing(tmp_path: Path) -> None:
    for words in (["x.pb.gz", "--leaks"], ["x.trace.json"]):
        with pytest.raises(ContentError, match="no such file"):
            run_command("convert", tmp_path / "none.sgm", "-o", *words)


def test_moments_are_of_memory_traces_alone(tmp_path: Path) -> None:
    other = tmp_path / "x.collapsed"
    other.write_text("main;work 30\n")
    with pytest.raises(UsageError, match="is not a memory trace"):
        run_command("convert", other, "-o", tmp_path / "x.pb.gz", "--at", "1")
    with pytest.raises(UsageError, match="is not a memory trace"):
        run_command("convert", other, "-o", tmp_path / "x.trace.json")


def test_a_pipe_is_refused_with_what_helps(path: Path) -> None:
    with path.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "stackglass", "top", "-"],
            stdin=file,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "it is a session file, which cannot be read from a pipe" in done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.5", 1_500_000_000), ("200ms", 200_000_000), ("2min", 120_000_000_000), ("7 µs", 7000)],
)
def test_times(text: str, expected: int) -> None:
    assert parse_time(text) == expected


def test_spans_may_have_one_end() -> None:
    assert parse_span(":2") == (0, 2_000_000_000)
    assert parse_span("1ms:")[0] == 1_000_000


def test_no_side_file_stays(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_memory(capsys, path)
    assert list((tmp_path / "cache" / "stackglass").iterdir()) == []
