"""What a tab of a file shows, built as the worker builds it."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import overload

import numpy as np
import pytest

from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import details_of, name_of
from stackglass_viewer.presenter.document.frame_colours import FrameColours
from stackglass_viewer.presenter.document.sources import ProfileSource
from stackglass_viewer.presenter.document.table_source import TableSource
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement, TopColumn

STACKS = "main;load;parse 30\nmain;save 40\nidle 10"
LIGHT, SAFE = choose_palette("module", False), choose_palette("safe", False)


def request(type_index: int = 1, order: str = "cost", pattern: str = "") -> BuildRequest:
    return BuildRequest(TypeId(type_index), order, LIGHT, Arrangement(pattern=pattern))


@pytest.fixture
def source(tmp_path: Path) -> ProfileSource:
    return ProfileSource(read_stacks(STACKS, tmp_path), "cpu.pb.gz")


def test_graph_table_and_words_are_of_one_sample_type(source: ProfileSource) -> None:
    built = source.build(request())
    assert built.scene is not None
    assert (built.scene.total, built.top.total, built.top.unit) == (80, 80, "nanoseconds")
    assert built.info.title == "cpu.pb.gz"
    assert built.info.description.startswith("Total 80 ns  ·  over 1.00 s")
    assert built.info.choice.entries[built.info.choice.entry] == "cpu"
    counted = source.build(request(type_index=0))
    assert counted.scene is not None
    assert counted.scene.total == 3
    assert counted.info.description.startswith("Total 3")
    assert counted.scene.tree is built.scene.tree, "the tree is built once"


class CountedStrings(Sequence[str]):
    """Strings of a profile that count how often one is read."""

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = strings
        self.n_read = 0

    def __len__(self) -> int:
        return len(self._strings)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        self.n_read += 1
        return self._strings[place]


def test_names_of_functions_are_not_read_where_a_source_is_made(tmp_path: Path) -> None:
    """In the GUI thread: 60 000 of them took it 60 ms."""
    profile = read_stacks(STACKS, tmp_path)
    strings = CountedStrings(profile.strings)
    source = ProfileSource(replace(profile, strings=strings), "cpu.pb.gz")
    assert source.first_type == 1
    assert len(source.sample_types) == 2
    assert strings.n_read == 0
    source.build(request())
    assert strings.n_read >= len(profile.functions.name)


def test_differences_are_shown_as_pprof_has_them(tmp_path: Path) -> None:
    source = ProfileSource(read_stacks("main;load 50\nmain;save -30", tmp_path), "diff.pb.gz")
    built = source.build(request())
    assert built.scene is not None
    assert (built.top.total, built.top.is_change) == (80, True)  # go tool pprof: 80ns total
    assert [built.top.name[row] for row in built.rows.tolist()] == ["load", "save", "main"]
    assert built.info.description.startswith("Total +50 ns, −30 ns")
    scene = built.scene
    assert (scene.total, scene.whole, scene.is_difference) == (20, 80, True)
    shares = {name_of(scene, node): details_of(scene, node).share for node in range(4)}
    assert shares["load"] == 50 / 80
    assert shares["save"] == -30 / 80
    colours = {name_of(scene, node): scene.change_colours[node] for node in range(4)}  # type: ignore[index] # it has them
    assert colours["load"] == LIGHT.grown
    assert colours["save"] == LIGHT.shrunk


def test_a_base_that_is_part_of_the_file_is_the_whole(tmp_path: Path) -> None:
    content = encode_labels(
        encode_stacks("work 30\nwork -40\nrest 5"), [{}, {"pprof::base": "true"}, {}]
    )
    path = tmp_path / "diff_base.pb.gz"
    path.write_bytes(content)
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    built = ProfileSource(profile, "diff_base").build(request())
    assert built.top.total == 40


def test_what_cancels_out_is_still_a_share_of_something(tmp_path: Path) -> None:
    built = ProfileSource(read_stacks("one 7\ntwo -7", tmp_path), "delta").build(request())
    assert built.top.total == 14
    assert built.scene is not None
    assert details_of(built.scene, 1).share == 0.5


def test_a_profile_without_samples_says_so(tmp_path: Path) -> None:
    built = ProfileSource(read_stacks("", tmp_path), "empty").build(request())
    assert built.info.description.startswith("No samples")
    assert not built.info.has_samples
    assert built.info.emptiness == ("No samples", "The profile is complete and records no samples.")


def test_boxes_stand_by_cost_or_by_name(source: ProfileSource) -> None:
    def first_row(order: str) -> list[str]:
        scene = source.build(request(order=order)).scene
        assert scene is not None
        nodes = [node for node in scene.layout.node.tolist() if scene.tree.depth[node] == 1]
        left = scene.layout.left[scene.layout.box_of_node[nodes]]
        return [name_of(scene, nodes[place]) for place in np.argsort(left)]

    assert first_row("cost") == ["main", "idle"]
    assert first_row("name") == ["idle", "main"]


def test_rows_come_in_the_order_and_with_the_filter_asked_for(source: ProfileSource) -> None:
    built = source.build(request(pattern="^(load|save)$"))
    assert [built.top.name[row] for row in built.rows.tolist()] == ["save", "load"]
    assert built.arrangement.pattern == "^(load|save)$"
    by_name = Arrangement(TopColumn.NAME, is_descending=False)
    built = source.build(BuildRequest(TypeId(1), "cost", LIGHT, by_name))
    names = [built.top.name[row] for row in built.rows.tolist()]
    assert names == ["idle", "load", "main", "parse", "save"]


def test_a_file_without_heap_or_contention_says_so(source: ProfileSource) -> None:
    built = source.build(request())
    assert (built.info.has_heap, built.info.has_contention, built.info.is_live) == (False,) * 3
    assert built.heap is None
    assert built.contention is None


def test_colours_are_worked_out_once_for_each_palette(tmp_path: Path) -> None:
    tree = build_call_tree(read_stacks(STACKS, tmp_path))
    colours = FrameColours()
    first = colours.of(tree, LIGHT)
    assert colours.of(tree, LIGHT) is first
    assert (colours.of(tree, SAFE) != first).any()


def test_functions_without_stacks_have_a_table_and_no_graph() -> None:
    table = FunctionTable(
        name=("f", "g"),
        file=("m.py", "m.py"),
        line=np.array([1, 2], dtype=np.int32),
        n_calls=np.array([3, 4]),
        n_primitive_calls=np.array([3, 4]),
        own=np.array([[10, 20]]),
        total=np.array([[30, 20]]),
        edge_caller=np.array([0], dtype=np.int32),
        edge_callee=np.array([1], dtype=np.int32),
        edge_n_calls=np.array([4]),
        edge_n_primitive_calls=np.array([4]),
        edge_own=np.array([[20]]),
        edge_total=np.array([[20]]),
    )
    source = TableSource(table, "run.prof")
    built = source.build(request(type_index=source.first_type))
    assert built.scene is None
    assert not built.info.has_stacks
    assert [built.top.name[row] for row in built.rows.tolist()] == ["g", "f"]
    assert built.info.description == "Total 30 ns  ·  7 calls"


@pytest.mark.parametrize(("key", "is_coloured"), [("state", True), ("thread", False)])
def test_wall_time_is_coloured_by_state_only_where_states_are_known(
    tmp_path: Path, key: str, *, is_coloured: bool
) -> None:
    """Austin's files have threads, and no states. The table of labels begins with the label of the
    colours."""
    path = tmp_path / "wall.pb.gz"
    labels = {"call": "read", key: "a"}
    content = encode_labels(encode_stacks("main;load 3\nmain;wait 5"), [labels] * 2)
    message = Message.FromString(gzip.decompress(content))
    message.string_table[3] = "wall"
    path.write_bytes(message.SerializeToString())
    profile = open_profile(str(path))
    assert isinstance(profile, Profile)
    wall = ProfileSource(profile, "wall.pb.gz")
    built = wall.build(replace(request(), label_key=""))
    assert built.scene is not None
    assert (built.scene.box_colours is not None) == is_coloured
    assert (built.legend is not None) == is_coloured
    assert built.labels is not None
    assert built.labels.key == ("state" if is_coloured else "call")
    chosen = wall.build(replace(request(), label_key=key))
    assert chosen.labels is not None
    assert chosen.labels.key == key
