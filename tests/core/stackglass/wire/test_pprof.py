"""Profiles that we write, as ``go tool pprof`` reads them. It refuses what is not valid."""

from __future__ import annotations

import gzip
import sys
from array import array
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.wire_session import TextSample, WireSession
from stackglass.native import _core
from stackglass.wire import pprof, reader
from stackglass.wire.recording import Recording

MS = 10**6


def build(*contents: bytes) -> pprof.ProfileTables:
    recording = Recording(cpu_hz=100)
    for content in contents:
        found = reader.decode(content)
        assert found is not None
        recording.add(found)
    return recording.build()


def read_raw(tables: pprof.ProfileTables, folder: Path) -> str:
    path = folder / "cpu.pb.gz"
    path.write_bytes(pprof.pack(pprof.encode(tables)))
    return run_pprof("-raw", path)


@pytest.mark.checklist(97, 98)
def test_go_reads_what_was_recorded(tmp_path: Path) -> None:
    """Checklist 97, 98: ids unique and not zero, as many values as types, one mapping."""
    session = WireSession()
    raw = read_raw(
        build(
            session.ready(10**9),
            session.batch([TextSample("main;f", 3, 30 * MS, tid=11)], {11: "Main Thread"}),
            session.status(10**9 + 2500 * MS, 3, 2, process_cpu_ns=50 * MS),
        ),
        tmp_path,
    )
    lines = [" ".join(line.split()) for line in raw.splitlines()]
    assert "PeriodType: cpu nanoseconds" in lines
    assert "Period: 10000000" in lines
    assert "Duration: 2.5s" in lines
    assert "samples/count cpu/nanoseconds[dflt]" in lines
    assert "3 30000000: 2 1" in lines
    assert "thread:[Main Thread] thread_id:[11]" in lines
    assert "2 20000000: 3" in lines
    assert "1: 0x0 main main.py:5:0 s=3" in lines
    assert "3: 0x0 <lost samples> :0:0 s=0()" in lines
    assert lines[-1].startswith("1: 0x0/0x0/0x0 /usr/bin/python3.13")
    assert lines[-1].endswith("[FN][FL][LN]"), "pprof need not look for symbols"


@pytest.mark.checklist(21)
def test_a_profile_without_samples_is_valid(tmp_path: Path) -> None:
    """Checklist 21."""
    session = WireSession()
    raw = read_raw(build(session.ready(), session.status(2 * 10**9)), tmp_path)
    assert "samples/count cpu/nanoseconds[dflt]" in raw
    assert "Period: 10000000" in raw


def test_a_profile_of_nothing_at_all_is_valid(tmp_path: Path) -> None:
    assert "samples/count cpu/nanoseconds[dflt]" in read_raw(build(), tmp_path)


@pytest.mark.checklist(100)
def test_recursion_is_never_folded(tmp_path: Path) -> None:
    """Checklist 100."""
    raw = read_raw(build(WireSession().batch([TextSample("f;f;f;g", 1)])), tmp_path)
    assert "10000000: 2 1 1 1" in raw


def test_samples_of_one_function_add_up_in_top(tmp_path: Path) -> None:
    session = WireSession()
    tables = build(session.batch([TextSample("a;b", 1, 40 * MS), TextSample("a", 1, 60 * MS)]))
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(pprof.pack(pprof.encode(tables)))
    rows = [line.split() for line in run_pprof("-top", path).splitlines()]
    assert ["60ms", "60.00%", "60.00%", "100ms", "100%", "a"] in rows
    assert ["40ms", "40.00%", "100%", "40ms", "40.00%", "b"] in rows


def test_names_in_brackets_survive_pprofs_demangling(tmp_path: Path) -> None:
    """By default pprof takes ``<…>`` for a C++ template's arguments, and cuts them out."""
    names = ("<native>", "<module>", "list[int]", "f.<locals>.<lambda>", "operator()")
    path = tmp_path / "cpu.pb.gz"
    session = WireSession()
    tables = build(session.batch([TextSample(name) for name in names]), session.status(1, 0, 9))
    path.write_bytes(pprof.pack(pprof.encode(tables)))
    top = run_pprof("-top", "-sample_index=samples", path, symbolize="local")
    assert {line.split("%")[-1].strip() for line in top.splitlines()[-6:]} == {
        *names,
        "<lost samples>",
    }


def test_equal_profiles_are_equal_files() -> None:
    content = pprof.encode(build(WireSession().batch([TextSample("f")])))
    assert pprof.pack(content) == pprof.pack(content)
    assert gzip.decompress(pprof.pack(content)) == content


def test_a_million_samples_are_one_call() -> None:
    n = 1_000_000
    column = array("Q", [1]) * n
    samples = _core.encode_samples(
        2,
        array("I", [0, 0, 1]).tobytes(),
        array("I", [0, 0, 1]).tobytes(),
        (array("I", [2]) * n).tobytes(),
        (column.tobytes(), column.tobytes()),
        (array("I", [0]) * n).tobytes(),
        (b"",),
    )
    assert len(samples) == n * len(b"\x12\x08\x0a\x02\x02\x01\x12\x02\x01\x01")


@pytest.mark.parametrize(
    ("parents", "nodes", "labels"),
    [
        pytest.param([0, 0], [2], [0], id="no such stack"),
        pytest.param([0, 0], [1], [1], id="no such label set"),
        pytest.param([0, 1], [1], [0], id="a stack below itself"),
        pytest.param([0, 0], [1, 1], [0], id="columns of unequal length"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    parents: list[int], nodes: list[int], labels: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"stack|label set|lengths"):
        _core.encode_samples(
            2,
            array("I", parents).tobytes(),
            array("I", [0] * len(parents)).tobytes(),
            array("I", nodes).tobytes(),
            (),
            array("I", labels).tobytes(),
            (b"",),
        )


def test_pprofs_source_view_takes_no_code_from_the_program(tmp_path: Path) -> None:
    """With a program on this machine, whose code it could disassemble."""
    session = WireSession()
    tables = build(
        session.ready(10**9), session.batch([TextSample("main;work", 3, 30 * MS, tid=11)])
    )
    program = str(Path(sys.executable).resolve())
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(pprof.pack(pprof.encode(tables._replace(executable=program))))
    run_pprof("-weblist=work", f"-output={tmp_path / 'list.html'}", path)
    assert "work" in (tmp_path / "list.html").read_text()
