"""A file's tab, without its page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.presenter.document import document as document_module
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.document import BUILDING, Document
from stackglass_viewer.presenter.document.flame_scene import Highlight, find_widest, name_of
from stackglass_viewer.presenter.document.inversion import invert_scene
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice, SearchResult

WaitUntil = Callable[[Callable[[], bool]], None]
STACKS = "main;load;parse 30\nmain;load;check 20\nmain;save 40\nidle 10"
STYLE = GraphStyle("cost", choose_palette("module", False))


class Failing(ProfileSource):
    """Cannot build anything."""

    def build(self, request: BuildRequest) -> Built:
        raise ValueError("this profile\n  is broken")


@pytest.fixture
def source(tmp_path: Path) -> ProfileSource:
    return ProfileSource(read_stacks(STACKS, tmp_path), "cpu.pb.gz")


@pytest.fixture
def document(qt: QApplication, source: ProfileSource, wait_until: WaitUntil) -> Iterator[Document]:
    made = Document(source, STYLE)
    made.build()
    wait_until(lambda: made.scene is not None)
    yield made
    made.leave()
    made.wait()
    made.deleteLater()


def node_named(document: Document, name: str) -> int:
    scene = document.scene
    assert scene is not None
    return next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == name)


def function_named(document: Document, name: str) -> int:
    return document.selection.function_of(node_named(document, name))


def test_what_the_reader_warns_of_is_a_notice_once(
    qt: QApplication, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_module, "_SAY_BUILDING_MS", 3_600_000)
    profile = replace(read_stacks(STACKS, tmp_path), warnings=("one is odd", "two is odder"))
    document = Document(ProfileSource(profile, "cpu.pb.gz"), STYLE)
    notices: list[Notice | None] = []
    document.notice_changed.connect(notices.append)
    built: list[Built] = []
    document.built.connect(built.append)
    for n_built in (1, 2):
        document.build()
        wait_until(lambda n=n_built: len(built) == n)  # type: ignore[misc]  # a lambda's default
    assert notices == [Notice("warning", "One is odd.\nTwo is odder.")]
    document.leave()
    document.wait()


class Held(ProfileSource):
    """Builds when it is let to."""

    gate = threading.Event()

    def build(self, request: BuildRequest) -> Built:
        self.gate.wait(30)
        return super().build(request)


def test_a_choice_does_not_jump_back_while_an_older_one_is_built(
    qt: QApplication, tmp_path: Path, wait_until: WaitUntil
) -> None:
    source = Held(read_stacks(STACKS, tmp_path), "cpu.pb.gz")
    source.gate.clear()
    document = Document(source, STYLE)
    infos: list[DocumentInfo] = []
    document.info_changed.connect(infos.append)
    document.build()
    wait_until(lambda: not document._worker._waiting)  # it is being built
    document.choose_type(0)
    source.gate.set()
    wait_until(lambda: bool(infos))
    assert [info.choice.entry for info in infos] == [0]
    document.leave()
    document.wait()
    document.deleteLater()


def test_a_build_that_takes_long_is_named_until_it_is_shown(
    qt: QApplication, tmp_path: Path, wait_until: WaitUntil
) -> None:
    source = Held(read_stacks(STACKS, tmp_path), "cpu.pb.gz")
    source.gate.clear()
    document = Document(source, STYLE)
    notices: list[Notice | None] = []
    document.notice_changed.connect(notices.append)
    document.build()
    wait_until(lambda: bool(notices))
    assert notices == [BUILDING]
    source.gate.set()
    wait_until(lambda: document.scene is not None)
    assert notices == [BUILDING, None]
    source.gate.clear()
    document.build()  # the graph from before is still there to be looked at
    document._say_building()
    source.gate.set()
    wait_until(lambda: not document.is_building)
    assert notices == [BUILDING, None]
    document.leave()
    document.wait()
    document.deleteLater()


def test_another_sample_type_is_another_graph(document: Document, wait_until: WaitUntil) -> None:
    infos: list[DocumentInfo] = []
    document.info_changed.connect(infos.append)
    assert document.info is not None
    assert document.scene is not None
    assert document.scene.total == 100
    document.choose_entry(0)
    wait_until(lambda: document.scene is not None and document.scene.total == 4)
    assert [info.choice.entry for info in infos] == [0]
    assert not document.has_heap


def test_order_and_palette_change_the_graph_and_each_other_not(
    document: Document, wait_until: WaitUntil
) -> None:
    first = document.scene
    safe = choose_palette("safe", False)
    document.choose_style(GraphStyle("cost", safe))
    wait_until(lambda: document.scene is not first)
    second = document.scene
    assert first is not None
    assert second is not None
    assert (first.colours != second.colours).any()
    document.choose_style(GraphStyle("name", safe))
    wait_until(lambda: document.scene is not second)
    third = document.scene
    assert third is not None
    assert (third.colours == second.colours).all()
    assert third.layout.node.tolist() != second.layout.node.tolist()


def test_a_source_that_fails_is_one_line(
    qt: QApplication, tmp_path: Path, wait_until: WaitUntil
) -> None:
    document = Document(Failing(read_stacks(STACKS, tmp_path), "cpu.pb.gz"), STYLE)
    notices: list[Notice] = []
    document.notice_changed.connect(notices.append)
    document.build()
    wait_until(lambda: bool(notices))
    assert notices == [Notice("error", "this profile is broken")]
    document.leave()
    document.wait()


# -- selection


def test_a_box_selects_its_function_and_the_table_follows(document: Document) -> None:
    chosen: list[int] = []
    highlights: list[Highlight] = []
    document.selection.function_chosen.connect(chosen.append)
    document.highlight_changed.connect(highlights.append)
    load = function_named(document, "load")
    document.selection.select_node(node_named(document, "load"))
    document.selection.select_node(node_named(document, "load"))  # nothing new stands out
    document.selection.select_node(-1)
    assert chosen == [load, load, -1]
    assert [highlight.frame for highlight in highlights] == [load, -1]


def test_a_row_drops_the_selected_box(document: Document) -> None:
    dropped: list[None] = []
    document.selection.node_dropped.connect(lambda: dropped.append(None))
    document.selection.select_function(function_named(document, "save"))
    assert dropped == [None]
    assert document.selection.function == function_named(document, "save")


def test_a_function_is_located_at_its_widest_box(document: Document, wait_until: WaitUntil) -> None:
    located: list[int] = []
    document.selection.function_located.connect(located.append)
    document.selection.locate(function_named(document, "load"))
    wait_until(lambda: bool(located))
    assert located == [node_named(document, "load")]


def test_a_function_is_located_in_the_graph_that_is_shown_by_then(
    document: Document, wait_until: WaitUntil
) -> None:
    scene, located = document.scene, list[int]()
    assert scene is not None
    document.selection.function_located.connect(located.append)
    load, other = function_named(document, "load"), invert_scene(scene, STYLE)
    assert find_widest(other, load) != find_widest(scene, load)
    document.selection.locate(load)
    document.selection.set_scene(other)
    wait_until(lambda: bool(located))
    assert located == [find_widest(other, load)]


def test_the_selection_survives_another_graph(document: Document, wait_until: WaitUntil) -> None:
    save = function_named(document, "save")
    document.selection.select_function(save)
    chosen: list[int] = []
    document.selection.function_chosen.connect(chosen.append)
    document.choose_entry(0)
    wait_until(lambda: bool(chosen))
    assert chosen == [save]


def test_the_selection_stays_at_its_function_when_the_graph_is_split(
    qt: QApplication, wait_until: WaitUntil
) -> None:
    """Values of labels, and functions without a name, have other numbers in each split."""
    labels = [{"route": "/a", "zone": "x"}, {"route": "/b", "zone": "y"}]
    profile = open_content(encode_labels(encode_stacks("main 30\nidle 10"), labels), "labelled")
    assert isinstance(profile, Profile)
    document = Document(ProfileSource(profile, "cpu.pb.gz"), STYLE)
    chosen: list[str] = []
    document.selection.function_chosen.connect(
        lambda function: chosen.append(document.top.name_of(function))
    )

    def split(key: str) -> None:
        n_chosen = len(chosen)
        document.labels.split(key)
        wait_until(lambda: len(chosen) > n_chosen)

    document.show_sandwich(True)
    split("route")
    document.selection.choose_function(function_named(document, "route = /b"))
    key = document.selection.key  # as the steps back and forward keep it
    split("zone")
    shown = document.top.name_of(document.sandwich.function)
    assert (chosen[-1], shown) == ("main", "main")  # the first of the table, and not "zone = y"
    assert document.selection.find(key) == -1
    split("route")
    assert document.selection.find(key) == function_named(document, "route = /b")
    document.leave()
    document.wait()


# -- search


def test_a_search_finds_functions_and_their_share(
    document: Document, wait_until: WaitUntil
) -> None:
    results: list[SearchResult | None] = []
    document.search.result_changed.connect(results.append)
    document.search.set_pattern("load|parse")
    wait_until(lambda: bool(results))
    assert results[-1] == SearchResult("load|parse", 2, 0.5)
    assert document.search.matches is not None
    assert int(document.search.matches.sum()) == 2
    document.search.set_pattern("")
    assert results[-1] is None
    assert document.search.matches is None


def test_a_pattern_that_is_none_is_said(document: Document, wait_until: WaitUntil) -> None:
    results: list[SearchResult | None] = []
    document.search.result_changed.connect(results.append)
    document.search.set_pattern("(")
    wait_until(lambda: bool(results))
    assert results == [SearchResult("(", error="invalid pattern")]


def test_enter_visits_matches_widest_first_and_round(
    document: Document, wait_until: WaitUntil
) -> None:
    reached: list[int] = []
    results: list[SearchResult | None] = []
    document.search.match_reached.connect(reached.append)
    document.search.result_changed.connect(results.append)
    document.search.set_pattern("save|parse|check")
    wait_until(lambda: document.search.matches is not None)
    for step in (1, 1, 1, 1, -1, -1):
        n_before = len(reached)
        document.search.step(step)
        wait_until(lambda n=n_before: len(reached) > n)  # type: ignore[misc] # bound now
    scene = document.scene
    assert scene is not None
    names = [name_of(scene, node) for node in reached]
    assert names == ["save", "parse", "check", "save", "check", "parse"]
    document.build()  # a refresh
    wait_until(lambda: len(results) == 8)
    places = [(result.place, result.n_places) for result in results if result is not None]
    assert places == [(0, 0), (1, 3), (2, 3), (3, 3), (1, 3), (3, 3), (2, 3), (2, 3)]


def test_enter_is_not_lost_while_a_refreshed_graph_is_searched(
    document: Document, wait_until: WaitUntil
) -> None:
    reached: list[int] = []
    document.search.match_reached.connect(reached.append)
    document.search.set_pattern("save|parse|check")
    wait_until(lambda: document.search.matches is not None)
    scene = document.scene
    assert scene is not None
    document.search.set_subject(replace(scene))  # a refresh
    document.search.step(1)
    wait_until(lambda: len(reached) == 1)
    assert name_of(scene, reached[0]) == "save"


def test_matches_are_those_of_the_graph_that_is_shown(
    document: Document, wait_until: WaitUntil
) -> None:
    document.search.set_pattern("idle")
    results: list[SearchResult | None] = []
    document.search.result_changed.connect(results.append)
    wait_until(lambda: bool(results))
    document.choose_entry(0)
    wait_until(lambda: len(results) == 2)
    assert results[-1] == SearchResult("idle", 1, 0.25)


def test_what_waits_for_all_choices_is_called_with_the_last_build(
    document: Document, wait_until: WaitUntil
) -> None:
    """However many builds of earlier choices arrive before."""
    seen: list[tuple[str, ...]] = []
    n_built: list[Built] = []
    document.built.connect(n_built.append)

    def see() -> None:
        assert document.scene is not None
        names = {name_of(document.scene, int(node)) for node in document.scene.layout.node}
        seen.append(tuple(sorted(names)))

    focus = Transform(TransformKind.FOCUS, "load")
    document.build()
    wait_until(lambda: not document.is_building)  # it is shown later
    document.transforms.choose((focus,))
    document.transforms.choose((focus, Transform(TransformKind.DROP, "check")))
    document.builds.when_shown(see)
    assert seen == []
    wait_until(lambda: bool(seen))
    assert len(n_built) > 1
    assert seen == [("all", "load", "main", "parse")]
    document.builds.when_shown(see)  # nothing is under way
    assert len(seen) == 2


def test_what_waits_for_a_build_that_fails_is_dropped(
    document: Document, source: ProfileSource, wait_until: WaitUntil
) -> None:
    seen: list[str] = []
    document._source = Failing(source._profile, "cpu.pb.gz")
    document.build()
    document.builds.when_shown(lambda: seen.append("failed"))
    wait_until(lambda: document.builds.is_settled)
    document._source = source
    document.build()
    document.builds.when_shown(lambda: seen.append("shown"))
    wait_until(lambda: bool(seen))
    assert seen == ["shown"]
