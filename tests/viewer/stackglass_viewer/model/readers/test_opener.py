"""Files are recognised by what is in them; bad ones get one clear line and little memory."""

from __future__ import annotations

import gzip
import json
import marshal
import os
import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.profiles import encode_stacks
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers import opener
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.gzip_limits import unpack_gzip
from stackglass_viewer.model.readers.opener import open_content, open_profile
from stackglass_viewer.model.readers.recognition import recognise

PPROF = encode_stacks("main;work 5\nmain 1")
PSTATS = marshal.dumps({("a.py", 1, "f"): (1, 2, 0.5, 0.75, {})})


@pytest.mark.parametrize("name", ["x.pb.gz", "x.prof", "x.json", "x"])
@pytest.mark.parametrize("content", [PPROF, gzip.decompress(PPROF)], ids=["gzip", "plain"])
def test_pprof_under_any_name(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert isinstance(open_profile(path), Profile)


def test_unknown_fields_at_the_beginning_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "newer.pb"
    path.write_bytes(b"\xa2\x06\x03abc" + gzip.decompress(PPROF))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert profile.n_samples == 2


@pytest.mark.parametrize("name", ["x.pb.gz", "x.prof"])
@pytest.mark.parametrize("content", [PSTATS, gzip.compress(PSTATS)], ids=["plain", "gzip"])
def test_pstats_under_any_name(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert isinstance(open_profile(path), FunctionTable)


@pytest.mark.parametrize(
    "content",
    [
        b"heap profile: 1: 2 [3: 4] @ heap/524288\n1: 2 [3: 4] @ 0x1\n",
        b"heap_v2/524288\n  t*: 0: 0 [0: 0]\n",
        b"--- mutex:\ncycles/second=1\n7 1 @ 0x1\n",
        b"# of a program\n\ngoroutine profile: total 4\n4 @ 0x43\n",
    ],
)
def test_text_profiles_are_known_by_their_first_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.pb.gz"
    for packed in (content, gzip.compress(content)):
        path.write_bytes(packed)
        assert isinstance(open_profile(path), Profile)


N_LINES = 300_000
SCALENE_LINE = (
    b'{"lineno":7,"n_cpu_percent_python":1,"n_cpu_percent_c":0,"n_sys_percent":0,"n_malloc_mb":0},'
)
TEXTS = {
    "collapsed": b"main;work 5\n" * N_LINES,
    "counts": b"x profile: total 1\n" + b"1 @ 0x10 0x20\n" * N_LINES,
    "legacy cpu": struct.pack("<5Q", 0, 3, 0, 9000, 0)
    + struct.pack("<4Q", 1, 2, 16, 32) * (N_LINES // 10)
    + struct.pack("<3Q", 0, 1, 0),
    "contention": b"--- mutex:\n" + b"7 1 @ 0x1 0x2\n" * N_LINES,
    "heap": b"heap profile: 1: 2 [3: 4] @ heap/2\n" + b"1: 2 [3: 4] @ 0x1\n" * N_LINES,
    "jemalloc": b"heap_v2/524288\n  t*: 1: 2 [0: 0]\n" + b"@ 0x1\n  t*: 1: 2 [0: 0]\n" * N_LINES,
    "callgrind": b"events: Ir\nfl=a\nfn=f\n" + b"+1 5000000\n" * N_LINES,
    "massif": b"desc: x\ncmd: x\ntime_unit: i\n" + b"mem_heap_B=5\n" * N_LINES,
    "perf": b"f 1 1.0: 1 cycles: 7f f (/x)\n" * N_LINES,
    "austin": b"P7;T0:9;a.py:f:7 520\n" * N_LINES,
    "mojo": b"MOJ\x03" + b"\x02\x07\x00t\x00\x07\x0d" * (N_LINES // 10),
    "scalene": b'{"elapsed_time_sec":1,"files":{"a.py":{"functions":[],"lines":['
    + SCALENE_LINE * (N_LINES // 100)
    + SCALENE_LINE.rstrip(b",")
    + b"]}}}",
}


@pytest.mark.parametrize("name", TEXTS)
def test_reading_of_text_reports_and_can_be_cancelled(name: str) -> None:
    shares: list[float] = []
    with pytest.raises(CancelledError):
        open_content(TEXTS[name], "x", is_cancelled=lambda: len(shares) > 1, report=shares.append)
    assert 0.3 < shares[0] < shares[1] < 1


REFUSED = {
    "empty": (b"", "empty"),
    "empty gzip": (gzip.compress(b""), "empty"),
    "cut text": (b"goroutine profile: total 4\n1 @ 0x43\n2", "line 3 is not a sample"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"x")), "twice"),
    "cut gzip": (PPROF[:-20], "truncated"),
    "cut gzip header": (PPROF[:6], "truncated"),
    "broken gzip": (PPROF[:30] + bytes(20) + PPROF[50:], "damaged"),
    "cut pprof": (gzip.decompress(PPROF)[:-5], ""),
    "cut pstats": (PSTATS[:-5], "truncated"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_profile_gets_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "some.file"
    path.write_bytes(content)
    with pytest.raises(ContentError) as caught:
        open_profile(path)
    text = str(caught.value)
    assert text.startswith("cannot open some.file: ")
    assert says in text
    assert "\n" not in text


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"cannot open none: no such file"):
        open_profile(tmp_path / "none")
    with pytest.raises(ContentError, match=r"is a directory"):
        open_profile(tmp_path)


@pytest.mark.parametrize("said_bytes", [0, 10, 100_000])
def test_a_file_has_more_or_less_than_it_is_said_to_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said_bytes: int
) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"main;work 3\n" * 5)
    monkeypatch.setattr(os, "fstat", lambda _number: os.stat_result([said_bytes] * 10))
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert profile.samples.values.sum() == 15


def test_two_members_and_padding_are_one_file() -> None:
    raw = gzip.decompress(PPROF)
    packed = gzip.compress(raw[:30]) + gzip.compress(raw[30:]) + bytes(100)
    unpacked = unpack_gzip(packed, lambda: False, lambda _share: None)
    assert (bytes(unpacked.content), unpacked.warnings) == (raw, ())


def test_what_is_behind_the_gzip_data_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.pb.gz"
    path.write_bytes(PPROF + bytes(7) + b"garbage\0\0")
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    assert profile.n_samples == 2
    assert profile.warnings == ("14 bytes behind its gzip data are ignored",)


def write_bomb(path: Path, head: bytes, n_bytes: int) -> None:
    """Gzip of so many zeros behind a beginning."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with path.open("wb") as file:
        file.write(packer.compress(head))
        for _ in range(n_bytes >> 20):
            file.write(packer.compress(bytes(1 << 20)))
        file.write(packer.flush())


def test_a_bomb_of_nothing_is_refused_at_its_first_piece(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pb.gz"
    write_bomb(path, b"", 256 << 20)
    # Not ru_maxrss: that begins with what this process had when it started the other.
    code = (
        "import re, sys\n"
        "from stackglass_viewer.model.readers.opener import open_content, open_profile\n"
        "from stackglass_viewer.model.errors import ContentError\n"
        "try: open_profile(sys.argv[1])\n"
        "except ContentError: pass\n"
        "print(re.search('VmHWM:(.*)kB', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(done.stdout) < 150 << 10


def test_a_bomb_behind_a_good_beginning_stops_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile whose last field claims to be enormous, and is."""
    monkeypatch.setattr("stackglass_viewer.model.readers.gzip_limits.MAX_UNPACKED_BYTES", 32 << 20)
    path = tmp_path / "bomb.pb.gz"
    write_bomb(path, gzip.decompress(PPROF) + b"\x32\xff\xff\xff\xff\x0f", 200 << 20)
    with pytest.raises(ContentError, match="unpacks to more than 32 MiB"):
        open_profile(path)


def test_progress_rises_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(PPROF)
    shares: list[float] = []
    open_profile(path, report=shares.append)
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


def test_progress_rises_while_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk, or one across a network, may take most of the time."""
    monkeypatch.setattr(opener, "_PIECE_BYTES", 64)
    for content, most in ((gzip.decompress(PPROF), 0.3), (PPROF, 0.15)):
        path = tmp_path / "x"
        path.write_bytes(content)
        shares: list[float] = []
        open_profile(path, report=shares.append)
        of_reading = shares[: 1 + -(-len(content) // 64)]
        assert of_reading == pytest.approx(
            [most * min(64 * k / len(content), 1) for k in range(len(of_reading))]
        )
        assert shares == sorted(shares)


@pytest.mark.parametrize("content", [PPROF, PSTATS], ids=["pprof", "pstats"])
def test_it_can_be_cancelled(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(CancelledError):
        open_profile(path, is_cancelled=lambda: True)


def test_kinds_are_all_different() -> None:
    assert len(FileKind) == len({kind.value for kind in FileKind})


def test_a_profile_of_the_real_world_is_no_text() -> None:
    assert recognise(json.dumps({"a": 1}).encode()) is FileKind.JSON
    assert recognise(gzip.decompress(PPROF)) is FileKind.PPROF


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_anything_is_some_kind(content: bytes) -> None:
    assert isinstance(recognise(content), FileKind)


def test_memory_limits_of_this_process_are_left_alone(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    path = tmp_path / "x"
    path.write_bytes(PSTATS)
    open_profile(path)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_text_in_utf16_opens(order: str) -> None:
    text = "\ufeffmain;wörk 5\nmain 3\n"
    profile = open_content(text.encode(order), "x")
    assert isinstance(profile, Profile)
    assert "wörk" in profile.strings
    assert profile.samples.values.sum() == 8
    with pytest.raises(ContentError, match="it is text in UTF-16, and damaged"):
        open_content(text.encode(order)[:-1], "x")


def change_while_it_is_read(path: Path, change: Callable[[], object]) -> Profile | FunctionTable:
    """Open a file that changes after its first piece."""
    changes = [change]

    def is_cancelled() -> bool:
        if changes:
            changes.pop()()
            os.utime(path, ns=(1, 1))  # its time is another one, however coarse the clock is
        return False

    return open_profile(path, is_cancelled=is_cancelled)


@pytest.mark.parametrize("n_left", [0, 14, 5 << 20])
def test_a_file_that_is_cut_off_while_it_is_read_is_refused(tmp_path: Path, n_left: int) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"main;work 123\n" * 500_000)  # more than a piece
    with pytest.raises(ContentError, match=r"^cannot open x.txt: another program changed it"):
        change_while_it_is_read(path, lambda: os.truncate(path, n_left))


def test_a_file_that_is_written_anew_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"main;work 123\n" * 500_000)
    with pytest.raises(ContentError, match=r"^cannot open x.txt: another program changed it"):
        change_while_it_is_read(path, lambda: path.write_bytes(b"main;work 321\n" * 500_000))


def test_a_file_that_grows_while_it_is_read_has_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"main;work 123\n" * 10)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"main;work 123\n")

    profile = change_while_it_is_read(path, grow)
    (warning,) = profile.warnings
    assert warning.startswith("x.txt grew while it was read")


def test_a_file_that_is_removed_while_it_is_read_opens(tmp_path: Path) -> None:
    path = tmp_path / "x.pb.gz"
    path.write_bytes(PPROF)

    def remove() -> bool:
        path.unlink(missing_ok=True)
        return False

    opened = open_profile(path, is_cancelled=remove)
    assert opened.warnings == ()
