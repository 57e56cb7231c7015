"""Every kind of file gets its own name; wrong words are worse than none."""

from __future__ import annotations

import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from harness.counted_work import count_lines
from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers import json_recognition, recognition
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.model.readers.recognition import recognise

CALL_FRAME = {"id": 1, "callFrame": {"functionName": "(root)", "url": ""}}
BEGINNINGS: tuple[tuple[bytes, FileKind], ...] = (
    (b"\x28\xb5\x2f\xfd" + bytes(20), FileKind.ZSTD),
    (b"\xfd7zXZ\x00" + bytes(20), FileKind.XZ),
    (b"BZh91AY", FileKind.BZIP2),
    (b"PK\x03\x04" + bytes(20), FileKind.ZIP),
    (b"\x04\x22\x4d\x18\x40\x40\xc0\xdd\x4b\x00\x00\xf9\x05memray\x00\x0d", FileKind.MEMRAY),
    (b"\x04\x22\x4d\x18\x40\x40\xc0\xdd\x4b\x00\x00\xf9\x05 other", FileKind.LZ4),
    (b"memray\x00\x0d\x00", FileKind.MEMRAY),
    ("main;work 5\n".encode("utf-16"), FileKind.UTF16),
    (b"\x7fELF" + bytes(200), FileKind.ELF),
    (b"go 1.23 trace\x00\x00\x00", FileKind.GO_TRACE),
    (b"PERFILE2" + bytes(50), FileKind.PERF_DATA),
    (b"HCAT" + bytes(50), FileKind.TACHYON),
    (b"MOJ\x03", FileKind.MOJO),
    (b"SIMPLEPERF\x01\x18\x00", FileKind.SIMPLEPERF),
    (b"*version\n3\nclock=dual\n", FileKind.ART_TRACE),
    (b"SLOW\xf3\x00\x20\x00", FileKind.ART_TRACE),
    (b"SLOW;work 5\n", FileKind.COLLAPSED),
    (b"FLR\x00\x00\x02", FileKind.FLIGHT_RECORDING),
    (b"gmon\x01\x00\x00\x00", FileKind.GMON),
    (b"{0", FileKind.PSTATS),
    (b"\xfb0", FileKind.PSTATS),
    (b"{0, 1", FileKind.JSON),
    (pickle.dumps([1.5]), FileKind.PICKLE),
    (pickle.dumps(Path, 2), FileKind.PICKLE),
    (b"\x80\x02cyappi\nYFuncStats\nq\x00", FileKind.YAPPI),
    (bytes(range(255, 0, -1)), FileKind.UNKNOWN),
    (b"--- threadz 1 ---\n\n--- Thread 7f (name: x/1) stack: ---\n", FileKind.THREAD_TEXT),
    (b"--- Thread 7f (name: x/1) stack: ---\n  0x10\n", FileKind.THREAD_TEXT),
    (b"--- heapz 1 ---\nformat = java\n", FileKind.JAVA_TEXT),
    (b"--- contentionz 1 ---\nformat=java\n", FileKind.JAVA_TEXT),
    (b"--- contentionz 1 ---\ncycles/second = 9\n", FileKind.CONTENTION_TEXT),
    (b"--- symbol\nbinary=/usr/bin/x\n", FileKind.PPROF_TEXT),
    (b"goroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n", FileKind.GOROUTINE_DUMP),
    (b"panic: no\n\ngoroutine 1 [running]:\nmain.main()\n", FileKind.GOROUTINE_DUMP),
    (b'thread 71 "a" [running]:\nmain(...)\n\tapp.py:7\n', FileKind.THREAD_DUMP),
    (b"# callgrind format\nversion: 1\ncreator: x\n", FileKind.CALLGRIND),
    (b"version: 1\ncreator: callgrind-3.19.0\npid: 7\n", FileKind.CALLGRIND),
    (b"events: Ticks\n\nfl=a.py\nfn=(1) main\n1 2\n", FileKind.CALLGRIND),
    (b"events: Ir\nfn=(1) main\n1 2\n", FileKind.CALLGRIND),
    (b"desc: --massif-out-file=x\ncmd: ./x\ntime_unit: i\n", FileKind.MASSIF),
    (b"# austin: 3.7.0\n# mode: wall\n\nP1;T0:1;a.py:f:7 520\n", FileKind.AUSTIN),
    (b"P1;T0:1;a.py:f:7 520\n", FileKind.AUSTIN),
    (
        b"# ======\n\nmy app 71/72 [001] 12.345:     250000 cpu-clock:u: \n\t  7f32 f+0x1 (/x)\n",
        FileKind.PERF_SCRIPT,
    ),
    (b"         12 function calls (11 primitive calls) in 0.004 seconds\n", FileKind.STATS_TEXT),
    (b"\n<!-- x --><!DOCTYPE html><html><body><svg></svg>", FileKind.HTML),
    (b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C">\n<svg width="7">', FileKind.SVG),
    (b"main;work 5\nmain 1\n", FileKind.COLLAPSED),
    (b"# by x\nmain (a.py:7);work 5.25\n\nmain;w -3 4\ncut", FileKind.COLLAPSED),
    (b"# Notes\n\nNothing here.\n", FileKind.TEXT),
    (b"Chapter 1\nChapter 2\n", FileKind.TEXT),
    (b"a;b 1\nno number here\n", FileKind.TEXT),
    (b"\n" * 4000, FileKind.TEXT),
    (b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}', FileKind.SPEEDSCOPE),
    (b'{"version":"0.0.1","shared":{"frames":[]},"profiles":[{', FileKind.SPEEDSCOPE),
    (json.dumps({"nodes": [CALL_FRAME], "startTime": 1}).encode(), FileKind.CPUPROFILE),
    (json.dumps({"head": CALL_FRAME}).encode(), FileKind.HEAPPROFILE),
    (b'{"snapshot":{"meta":{"node_fields":["type"]}},"nodes":[1]}', FileKind.HEAPSNAPSHOT),
    (b'{"displayTimeUnit":"ms","traceEvents":[{"ph":"X"', FileKind.TRACE_EVENTS),
    (b'[\n{"name":"a","ph":"B","ts":1},', FileKind.TRACE_EVENTS),
    (b'{"meta":{"interval":1,"preprocessedProfileVersion":48}', FileKind.FIREFOX),
    (b'{"meta":{"interval":1,"version":27},"libs":[]', FileKind.FIREFOX),
    (b'{"alloc_samples":0,"args":[],"combined_stacks":[[[{"kind":"py"', FileKind.SCALENE),
    (b'{"alloc_samples":0,"elapsed_time_sec":1.5,"files":{}}', FileKind.SCALENE),
    (b'{"alloc_samples":{"units":"objects"},"cpu":{"sampled":true}}', FileKind.JSON),
    (b'{"dhatFileVersion":2,"mode":"rust-heap"}', FileKind.DHAT),
    (b'{"version":1,"recording":{"displayName":"a","instrumentTypes":[]}}', FileKind.SAFARI),
    (b'{"program":"x","rts_arguments":["-pj"],"cost_centres":[]}', FileKind.GHC),
    (b'{"format":"profileJSONWithSymbolicationTable,1","profileJSON":[]}', FileKind.CLEOPATRA),
    (b'{"start_time":1.5,"duration":2,"sample_count":3,"root_frame":', FileKind.PYINSTRUMENT),
    (b'{"type":"meta","v":0,"run_id":"ab","mode":"wall"}\n', FileKind.TACHYON_LINES),
    (b'{"total_num_allocations":5}', FileKind.MEMRAY_STATS),
    (b'{"version":1,"flamebearer":{"names":[]}}', FileKind.FLAMEBEARER),
    (b'{"resourceProfiles":[]}', FileKind.OTLP_JSON),
    (b'{"dictionary":{"stringTable":["",', FileKind.OTLP_JSON),
    (b"\x0a\x09\x0a\x00\x12\x05\x0a\x03\x0a\x01x", FileKind.OTLP),
    (b"\x12\x80\x40\x0a\x00\x12\x00\x12\x02\x08\x01", FileKind.OTLP),
    (b"\x12\x06\x0a\x01\x01\x2a\x01x", FileKind.OTLP),
    # Another message of messages: its first field is packed numbers, and its second a number.
    (b"\x0a\x07\x0a\x02\x01\x02\x10\x80\x01\x0a\x02\x10\x00", FileKind.PPROF),
    (b"\x0a\x04\x08\x01\x10\x02\x12\x05\x0a\x01\x01\x12\x00", FileKind.PPROF),
    (b"\x12\x06\x0a\x01\x01\x12\x01\x07\x32\x00", FileKind.PPROF),
    (b"\n\n\n\n" * 9, FileKind.TEXT),
    (b'{"name":"root","value":1,"children":[]}', FileKind.NESTED_JSON),
    (b'{"sample_types":[],"sample_index":"cpu","unit":"","rows":[]}', FileKind.TOP_JSON),
    (b'\xef\xbb\xbf {"profiles": []}', FileKind.JSON),
    (b'{"inner":{"traceEvents":[]},"text":"speedscope \\" $schema"}', FileKind.JSON),
    (b"[1, 2]", FileKind.JSON),
    (b'["a", "b"]', FileKind.JSON),
    (b"[unknown];main 5\n", FileKind.COLLAPSED),
    (b"[libc.so.6];main 5\n[nat] 1\n", FileKind.COLLAPSED),
)


@pytest.mark.parametrize(("head", "kind"), BEGINNINGS, ids=lambda each: getattr(each, "name", ""))
def test_each_kind_is_named(head: bytes, kind: FileKind) -> None:
    assert recognise(head) is kind
    assert recognise(gzip.decompress(gzip.compress(head))) is kind


def test_the_sentence_has_what_helps(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"PERFILE2\x0d\x00")
    for content in (b"PERFILE2\x0d\x00", gzip.compress(b"PERFILE2\x0d\x00")):
        path.write_bytes(content)
        with pytest.raises(ContentError, match=r"x\.bin: .*it is perf's own format") as caught:
            open_profile(path)
        assert "perf script" in caught.value.remedy


def test_every_refusal_is_a_sentence_of_its_own() -> None:
    refusals = [kind.refusal for kind in FileKind if not kind.is_readable]
    assert len(set(refusals)) == len(refusals)
    assert all(each.startswith("it ") and not each.endswith(".") for each in refusals)


def test_fields_of_a_newer_version_are_passed_over() -> None:
    message = gzip.decompress(encode_stacks("main;work 5"))
    for field in (
        b"\xa2\x06\x03abc",  # number 100, bytes
        b"\x85\x01abcd",  # number 16, fixed32
        b"\x89\x01abcdefgh",  # number 17, fixed64
        b"\x90\x01\x07",  # number 18, varint
    ):
        assert recognise(field + message) is FileKind.PPROF
        assert recognise(field) is FileKind.UNKNOWN
    assert recognise(b"\x0d\x00\x00\x00\x00" + message) is FileKind.UNKNOWN  # number 1, fixed32
    assert recognise(b"\x02\x01a" + message) is FileKind.UNKNOWN  # number 0


@pytest.mark.parametrize(
    "piece",
    [b"\n", b" ", b"1 ", b"1", b"a 1", b"<!--", b'"\\', b"{", b'{"a":', b"\t1.1: ", b";a 1\n"],
)
def test_no_beginning_takes_long(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that takes the square of the length of JSON, or the cube of that of text, does not
    end here: the beginnings are longer than those of files."""
    monkeypatch.setattr(json_recognition, "_HEAD_BYTES", 1 << 20)
    monkeypatch.setattr(recognition, "_HEAD_BYTES", 12_000)
    for head in (b"", b"{", b"<", b"x", b"x 1 1.1: "):
        recognise(head + piece * ((1 << 20) // len(piece)))


def test_only_the_first_bytes_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some patterns take the square of a text's length."""
    heads: list[bytes] = []
    monkeypatch.setattr(recognition, "recognise_text", heads.append)
    recognise(b"x" * 10_000)
    assert list(map(len, heads)) == [4096]
    assert count_lines(lambda: recognise(b"{" + b"," * 1_000_000)) < 10 * 65_536


@pytest.mark.parametrize("before", [b"", b"main 1\n", b"main;work 1\n"], ids=["1", "2", "3"])
@pytest.mark.parametrize("after", [b"", b"\n", b"\nmain;work 1\n"], ids=["cut", "one", "two"])
def test_stacks_may_be_longer_than_the_beginning(before: bytes, after: bytes) -> None:
    stack = b"main;" + b";".join(b"list<%d, allocator>::next()" % each for each in range(500))
    assert recognise(before + stack + b" 5" + after) is FileKind.COLLAPSED
    assert recognise(before.replace(b";", b" ") + stack + after) is FileKind.TEXT


def test_what_cprofile_prints_is_not_its_file() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-m", "cProfile", "-m", "keyword"],
        capture_output=True,
        check=True,
    )
    assert recognise(done.stdout) is FileKind.STATS_TEXT
