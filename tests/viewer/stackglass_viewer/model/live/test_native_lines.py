"""Lines of machine code in a running session: frames of inlined calls, files, tables."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass.errors import WireError
from stackglass.symbols.native_code import NativeLine, NativeName
from stackglass.wire.pprof import SampleType
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.live.line_names import LineName, names_of_capture
from stackglass_viewer.model.live.native_lines import expand
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.proto.wire_pb2 import Batch
from stackglass_viewer.presenter.saving.profile_tables import Origin, ProfileRows, make_tables

OWN = NativeLine("", "sort", "/src/sort.c", 40, 30)
SWAP = NativeLine("libx: swap", "swap", "/src/swap.h", 7, 5)
MOVE = NativeLine("libx: move", "move", "/src/swap.h", 3, 2)
LINES = {0x110: (MOVE, SWAP, OWN), 0x120: (OWN._replace(line=41),)}


def make_batch() -> Batch:
    """main, and below it sort at two addresses, the second of which calls main again."""
    return Batch(
        strings=["", "main", "main.py", "libx: 0x100", "/lib/libx.so", "ab12"],
        function_name=[1, 3],
        function_system_name=[1, 5],
        function_filename=[2, 4],
        function_start_line=[1, 0],
        function_native_start=[0, 0x100],
        location_function=[0, 1, 1],
        location_line=[2, 0, 0],
        location_native_address=[0, 0x110, 0x120],
        node_parent=[0, 0, 1, 1, 2],
        node_location=[0, 0, 1, 2, 0],
    )


def make_tree() -> LiveTree:
    made = LiveTree(lambda codes: [NativeName("libx: sort", "sort") for _ in codes])
    define(made, make_batch())
    return made


def define(tree: LiveTree, batch: Batch) -> None:
    tree.define(batch, tree.name_natives(batch))


def locate(tree: LiveTree) -> None:
    """Look everything up that is new."""
    codes = tree.take_unlocated(99)
    assert all((code.path, code.identity) == ("/lib/libx.so", "ab12") for code in codes.values())
    tree.add_lines({location: LINES[code.start] for location, code in codes.items()})


@pytest.fixture
def tree() -> LiveTree:
    made = make_tree()
    locate(made)
    return made


def list_stack(tree: LiveTree, wire: int) -> list[str]:
    """Names from the root."""
    view, node = tree.view(), int(tree.node_of_wire()[wire])
    names: list[str] = []
    while node:
        names.insert(0, view.frame_name[int(view.frame[node])])
        node = int(view.parent[node])
    return names


def test_inlined_calls_are_frames_below_their_function(tree: LiveTree) -> None:
    deep = ["main", "libx: sort", "libx: swap (inlined)", "libx: move (inlined)"]
    assert [list_stack(tree, wire) for wire in range(5)] == [
        [],
        ["main"],
        deep,
        ["main", "libx: sort"],
        [*deep, "main"],
    ]


def test_a_later_batch_continues_below_inlined_calls(tree: LiveTree) -> None:
    batch = Batch(
        location_function=[1],
        location_line=[0],
        location_native_address=[0x110],
        node_parent=[2, 5],
        node_location=[3, 0],
    )
    define(tree, batch)
    locate(tree)
    deep = ["libx: sort", "libx: swap (inlined)", "libx: move (inlined)"]
    assert list_stack(tree, 5) == ["main", *deep, *deep]
    assert list_stack(tree, 6) == ["main", *deep, *deep, "main"]


def test_views_from_before_stay_as_they_were() -> None:
    made = make_tree()
    before, nodes = made.view(), made.node_of_wire().tolist()
    lines = made.list_definitions().location_line.tolist()
    locate(made)
    made.view()
    assert list_names(before) == ["main", "libx: sort", "libx: *"]
    assert nodes == [0, 1, 2, 2, 3]
    assert lines == [2, 0, 0]
    assert made.take_unlocated(99) == {}


def list_names(view: CallTree) -> list[str]:
    return list(view.frame_name)


def test_locations_are_handed_out_once_and_a_few_at_a_time() -> None:
    made = make_tree()
    assert [list(made.take_unlocated(1)) for _ in range(3)] == [[1], [2], []]


def test_frames_have_the_files_of_their_source(tree: LiveTree) -> None:
    view = tree.view()
    files = dict(zip(view.frame_name, view.frame_file, strict=True))
    assert files["libx: sort"] == "/src/sort.c"
    assert files["libx: move (inlined)"] == "/src/swap.h"
    assert view.frame_line is not None
    starts = dict(zip(view.frame_name, view.frame_line.tolist(), strict=True))
    assert starts["libx: sort"] == 30


def test_tables_name_the_innermost_line(tree: LiveTree) -> None:
    names = names_of_capture(tree.list_definitions())
    assert [names.name_line(line) for line in range(3)] == [
        LineName("main", "main.py", 2),
        LineName("libx: move (inlined)", "/src/swap.h", 3),
        LineName("libx: sort", "/src/sort.c", 41),
    ]


def test_saved_profiles_have_lines_and_libraries(tree: LiveTree) -> None:
    rows = np.array([2], dtype=np.int64)
    samples = ProfileRows(rows, np.zeros(1, dtype=np.int64), [rows], [()], [], "")
    origin = Origin(SampleType("samples", "count"), 1, 0, 0, "")
    tables = make_tables(tree.list_definitions(), samples, origin)
    assert tables.natives[1].path == "/lib/libx.so"
    assert list(tables.location_line) == [2, 40, 41]
    names = list(tables.function_name)
    calls = [(tables.strings[names[row]], line) for row, line in tables.location_inlined[1]]
    assert calls == [("libx: move", 3), ("libx: swap", 7)]


def test_without_debug_information_nothing_changes() -> None:
    made = make_tree()
    assert list_stack(made, 4) == ["main", "libx: sort", "main"]
    files = dict(zip(made.view().frame_name, made.view().frame_file, strict=True))
    assert files["libx: sort"] == "/lib/libx.so"


@pytest.mark.parametrize("lines", [{9: (OWN,)}, {1: ()}])
def test_lines_of_undefined_locations_are_refused(lines: dict[int, tuple[NativeLine]]) -> None:
    with pytest.raises(WireError):
        make_tree().add_lines(lines)


def test_stacks_without_inlined_calls_stay_as_they_are() -> None:
    parents = np.array([0, 1, 1, 3], dtype=np.int64)
    frames = np.array([5, 6, 7, 8], dtype=np.int32)
    made = expand(parents, np.zeros(4, dtype=np.int64), frames, {}, np.zeros(1, np.int32), 1)
    assert made.parents.tolist() == [0, 1, 1, 3]
    assert made.frames.tolist() == frames.tolist()
    assert made.last.tolist() == [1, 2, 3, 4]
