"""Python's own names for machine code in a running session."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass.errors import WireError
from stackglass.symbols.native_code import NativeName
from stackglass.wire.pprof import SampleType
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.proto.wire_pb2 import Batch
from stackglass_viewer.presenter.saving.profile_tables import Origin, ProfileRows, make_tables

FUNCTIONS = Batch(
    strings=["", "main", "main.py", "libx: 0x100", "/lib/libx.so", "ab12", "Vec.norm", "vec.pyx"],
    function_name=[1, 3],
    function_system_name=[1, 5],
    function_filename=[2, 4],
    function_start_line=[1, 0],
    function_native_start=[0, 0x100],
    location_function=[0, 1],
    location_line=[2, 0],
    location_native_address=[0, 0x110],
    node_parent=[0, 0, 1],
    node_location=[0, 0, 1],
)


@pytest.fixture
def tree() -> LiveTree:
    made = LiveTree(lambda codes: [NativeName("libx: sym", "sym") for _ in codes])
    made.define(FUNCTIONS, made.name_natives(FUNCTIONS))
    return made


def describe_leaf(tree: LiveTree) -> tuple[str, str, int]:
    view, node = tree.view(), int(tree.node_of_wire()[2])
    frame = int(view.frame[node])
    assert view.frame_name[int(view.frame[int(view.parent[node])])] == "main"
    assert view.frame_line is not None
    return view.frame_name[frame], view.frame_file[frame], int(view.frame_line[frame])


def know(tree: LiveTree, name: int, file: int, line: int) -> None:
    tree.define(Batch(known_function=[1], known_name=[name], known_file=[file], known_line=[line]))


def test_a_name_that_comes_later_renames_the_frames_that_are_there(tree: LiveTree) -> None:
    assert describe_leaf(tree) == ("libx: sym", "/lib/libx.so", 0)
    know(tree, 6, 7, 27)
    assert describe_leaf(tree) == ("libx: Vec.norm", "vec.pyx", 27)
    know(tree, 0, 0, 0)
    assert describe_leaf(tree) == ("libx: sym", "/lib/libx.so", 0)


def test_a_saved_profile_has_the_name_and_where_it_is_defined(tree: LiveTree) -> None:
    know(tree, 6, 7, 27)
    none = np.zeros(0, dtype=np.int64)
    cpu = SampleType("cpu", "nanoseconds")
    samples = ProfileRows(none, none, (none,), (), (cpu,), "cpu")
    tables = make_tables(tree.list_definitions(), samples, Origin(cpu, 1, 0, 0, ""))
    names = [tables.strings[number] for number in tables.function_name]
    files = [tables.strings[number] for number in tables.function_filename]
    assert (names, files) == (["main", "libx: Vec.norm"], ["main.py", "vec.pyx"])
    assert list(tables.function_start_line) == [1, 27]
    assert tables.natives[1].path == "/lib/libx.so"


def test_what_refers_to_nothing_is_refused(tree: LiveTree) -> None:
    for batch in (
        Batch(known_function=[2], known_name=[0], known_file=[0], known_line=[0]),
        Batch(known_function=[1], known_name=[99], known_file=[0], known_line=[0]),
        Batch(known_function=[1], known_name=[6], known_file=[0]),
    ):
        with pytest.raises(WireError):
            tree.define(batch)


def rename(tree: LiveTree, text: str) -> None:
    """As after a download of debug information: an empty batch that replaces names."""
    tree.define(Batch(), dict.fromkeys(tree.list_natives(), text))


def test_a_symbol_that_comes_later_renames_the_frames_that_are_there(tree: LiveTree) -> None:
    assert [code.start for code in tree.list_natives().values()] == [0x100]
    rename(tree, "libx: norm_impl")
    assert describe_leaf(tree) == ("libx: norm_impl", "/lib/libx.so", 0)
    assert tree.strings[3] == "libx: norm_impl"


def test_pythons_own_name_goes_before_a_symbol_that_comes_later(tree: LiveTree) -> None:
    know(tree, 6, 7, 27)
    rename(tree, "libx: norm_impl")
    assert describe_leaf(tree) == ("libx: Vec.norm", "vec.pyx", 27)
    assert tree.strings[3] == "libx: Vec.norm"
    know(tree, 0, 0, 0)
    assert describe_leaf(tree)[0] == "libx: norm_impl"


def test_locations_are_handed_out_again_where_lines_may_have_come(tree: LiveTree) -> None:
    assert list(tree.take_unlocated(9)) == [1]
    assert not tree.take_unlocated(9)
    tree.locate_anew()
    assert list(tree.take_unlocated(9)) == [1]
