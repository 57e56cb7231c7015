"""Files have the rows that their samples use, and no others."""

from __future__ import annotations

import gzip
from array import array
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from stackglass.wire.pprof import ProfileTables, SampleType, encode
from stackglass.wire.pprof_file import encode_file, keep_used

_SAMPLES = SampleType("samples", "count")


def make_tables(*sample_nodes: int) -> ProfileTables:
    """Three stacks: main;f (2), main;g (3) and idle (4); f is called on line 3, g on line 4."""
    return ProfileTables(
        strings=("", "main", "main.py", "f", "unrelated text", "g", "g.py", "idle"),
        function_name=array("I", [1, 3, 5, 7]),
        function_system_name=array("I", [1, 3, 5, 7]),
        function_filename=array("I", [2, 2, 6, 0]),
        function_start_line=array("I", [1, 10, 20, 30]),
        location_function=array("I", [0, 1, 2, 3]),
        location_line=array("I", [3, 11, 21, 31]),
        node_parent=array("I", [0, 0, 1, 1, 0]),
        node_location=array("I", [0, 0, 1, 2, 3]),
        sample_node=array("I", sample_nodes),
        sample_labels=array("I", [0] * len(sample_nodes)),
        sample_values=(array("Q", range(1, len(sample_nodes) + 1)),),
        label_sets=((),),
        sample_types=(_SAMPLES,),
        default_type="samples",
        period_type=_SAMPLES,
        period=1,
        time_unix_ns=0,
        duration_ns=0,
        executable="",
    )


def test_rows_of_other_profiles_are_left_out() -> None:
    kept = keep_used(make_tables(3))
    assert kept.strings == ("", "main", "main.py", "g", "g.py")
    assert list(kept.function_name) == [1, 3]
    assert list(kept.function_filename) == [2, 4]
    assert list(kept.function_start_line) == [1, 20]
    assert list(kept.location_function) == [0, 1]
    assert list(kept.location_line) == [3, 21]
    assert array("I", kept.node_parent.tobytes()).tolist() == [0, 0, 1]
    assert array("I", kept.node_location.tobytes()).tolist() == [0, 0, 1]
    assert array("I", kept.sample_node.tobytes()).tolist() == [2]


def test_go_reads_the_same_profile(tmp_path: Path) -> None:
    whole, kept = tmp_path / "whole.pb", tmp_path / "kept.pb.gz"
    whole.write_bytes(encode(make_tables(3, 2, 3)))
    kept.write_bytes(encode_file(make_tables(3, 2, 3)))
    assert (
        run_pprof("-traces", kept).splitlines()[1:]
        == (run_pprof("-traces", whole).splitlines()[1:])
    )
    assert b"idle" not in gzip.decompress(kept.read_bytes())


def test_a_file_of_what_uses_everything_is_as_before() -> None:
    tables = make_tables(2, 3, 4)._replace(
        strings=("", "main", "main.py", "f", "x", "g", "g.py", "idle")
    )
    kept = keep_used(tables)
    assert len(kept.strings) == len(tables.strings) - 1, "x belongs to nothing"
    assert list(kept.location_line) == [3, 11, 21, 31]


@pytest.mark.parametrize("sample_nodes", [(), (0,)])
def test_a_profile_without_a_stack_is_valid(sample_nodes: tuple[int, ...], tmp_path: Path) -> None:
    tables = make_tables(*sample_nodes)
    path = tmp_path / "none.pb.gz"
    path.write_bytes(encode_file(tables))
    assert "samples/count" in run_pprof("-raw", path)
    assert keep_used(tables).strings == ("",)


def test_tables_without_any_row_are_kept() -> None:
    empty = make_tables()._replace(strings=(), node_parent=array("I"), node_location=array("I"))
    assert gzip.decompress(encode_file(empty))


def test_a_reference_to_no_row_is_an_error() -> None:
    with pytest.raises(IndexError):
        encode_file(make_tables(5))
