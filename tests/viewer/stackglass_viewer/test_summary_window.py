"""The summary in the window: sentences, and where they lead."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_labels, encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.sentences import Sentence
from stackglass_viewer.presenter.tables.table_model import say_cell
from stackglass_viewer.view.summary.view import SummaryView
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
STACKS = "\n".join(
    ["main;run;hash 50", *(f"main;run;serve{n};dump 10" for n in range(4)), "main;rest 5"]
)


class SummaryWindow:
    """The tab of a file, on its summary."""

    def __init__(
        self, app: App, folder: Path, wait_until: WaitUntil, content: bytes | None = None
    ) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(content or encode_stacks(STACKS))
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        wait_until(lambda: self.document.scene is not None)
        self.page.show_view("summary")
        wait_until(lambda: bool(self.sentences))

    @property
    def view(self) -> SummaryView:
        made = self.page.tables.summary
        assert made is not None
        return made

    @property
    def sentences(self) -> list[Sentence]:
        return list(self.view._sentences)

    def follow(self, words: str) -> Sentence:
        """Click the sentence with these words."""
        texts = [each.text for each in self.sentences]
        (place,) = (at for at, text in enumerate(texts) if words in text)
        self.view._labels[place].linkActivated.emit(str(place))
        return self.sentences[place]


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> SummaryWindow:
    return SummaryWindow(app, tmp_path, wait_until)


def test_sentences_say_what_stands_out(window: SummaryWindow) -> None:
    assert [each.text for each in window.sentences] == [
        "The CPU was used little: 95 ns in 1.00 s, <0.01% of one processor. For the rest of "
        "the time threads waited, or other programs had the processor.",
        "hash takes 52.6% of the CPU time itself, without what it calls.",
        "dump takes 42.1% of the CPU time itself, without what it calls.",
        "94.7% of the CPU time goes through run, which calls hash (52.6%), serve0 (10.5%), "
        "serve1 (10.5%) and 2 others.",
        "dump takes 42.1% of the CPU time in all, called from 4 functions: the main caller "
        "accounts for 25.0% of that.",
        "There are only 6 samples: 19 times out of 20 a share near 50% is right within 40 "
        "percentage points.",
    ]


def test_a_profile_without_samples_has_nothing_to_sum_up(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "empty.pb.gz"
    path.write_bytes(encode_stacks(""))
    app.force_view("summary")
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    page = next(iter(app.documents))
    wait_until(lambda: page.tables.summary is not None)
    view = page.tables.summary
    assert view is not None
    wait_until(lambda: view._title.text() == "No samples")
    assert view._hint.text() == "The profile is complete and records no samples."


def test_a_sentence_leads_to_the_source(window: SummaryWindow) -> None:
    window.follow("hash takes")
    assert window.page.view == "source"
    subject = window.document.source.subject
    assert subject is not None
    assert subject.name == "hash"


def test_a_sentence_leads_to_the_sandwich(window: SummaryWindow) -> None:
    sentence = window.follow("in all")
    assert window.page.view == "sandwich"
    assert window.document.sandwich.function == sentence.function


def test_a_sentence_leads_to_the_box(window: SummaryWindow) -> None:
    sentence = window.follow("goes through run")
    assert window.page.view == "flame"
    assert window.page.flame.graph.selected == sentence.node
    assert window.page.graphs.camera.is_zoomed


def test_a_sentence_leads_to_the_table(window: SummaryWindow) -> None:
    window.follow("only 6 samples")
    assert window.page.view == "top"


def test_a_sentence_leads_to_the_labels(app: App, tmp_path: Path, wait_until: WaitUntil) -> None:
    routes = ["/a", "/a", "/b", "", "", ""]
    labels = [{"host": "h", "route": route} if route else {"host": "h"} for route in routes]
    window = SummaryWindow(app, tmp_path, wait_until, encode_labels(encode_stacks(STACKS), labels))
    sentence = window.follow("label route = /a")
    assert sentence.text == "63.2% of the CPU time has the label route = /a."
    assert window.page.view == "labels"
    table = window.document.labelled
    wait_until(lambda: table.keys[1] == "route")
    cells = [table.cell(0, column) for column in range(4)]
    texts = [say_cell(cell) for cell in cells if cell is not None]
    assert (texts[1], texts[3]) == ("63.2%", "/a")


def test_a_sentence_leads_to_a_part_of_the_table(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    """Its rows have together what the sentence says; another sentence shows all rows again."""
    lines = [f"main;shop.step{n} 10\nmain;rest{n} 20" for n in range(6)]
    text = "\n".join((*lines, "main;<lost samples> 4"))
    window = SummaryWindow(app, tmp_path, wait_until, encode_stacks(text))
    sentence = window.follow("functions of shop.py")
    assert (
        sentence.text == "Together, 6 functions of shop.py take 32.6% of the CPU time themselves."
    )
    top = window.document.top
    assert window.page.view == "top"
    wait_until(lambda: top.rowCount() == 6)
    assert window.document.selection.function == -1
    window.follow("were lost")
    wait_until(lambda: top.rowCount() == 14)
    lost = window.document.selection.function
    assert top.name_of(lost) == "<lost samples>"
    table = window.page.top._table
    wait_until(lambda: top.function_at(table.currentIndex().row()) == lost)
    window.follow("only 13 samples")
    wait_until(lambda: not table.currentIndex().isValid())
    assert table.verticalScrollBar().value() == 0


def test_a_sentence_leads_to_what_was_allocated(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    window = SummaryWindow(app, tmp_path, wait_until, encode_heap())
    sentence = window.follow("is still in use")
    assert sentence.text == (
        "10.0% of the 1000 B that was allocated is still in use; most was allocated by parse, "
        "90.0%."
    )
    assert window.page.view == "top"
    wait_until(lambda: window.document.shown_type.name == "alloc_space")
    wait_until(lambda: window.document.top.table is not None)
    wait_until(lambda: window.document.top.name_of(window.document.selection.function) == "parse")


def encode_heap() -> bytes:
    """In use 100 bytes of load, and allocated besides 900 bytes of parse."""
    message = Message.FromString(gzip.decompress(encode_stacks("main;load 1\nmain;parse 1")))
    del message.sample_type[:]
    names = ("alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space")
    first = len(message.string_table)
    message.string_table.extend(names)
    for name, unit in ((0, 1), (2, 3), (4, 1), (5, 3)):
        message.sample_type.add(type=first + name, unit=first + unit)
    for sample, values in zip(message.sample, ([1, 100, 1, 100], [9, 900, 0, 0]), strict=True):
        sample.value[:] = values
    message.default_sample_type = first + 5
    return gzip.compress(message.SerializeToString())


def test_before_the_first_answer_nothing_is_denied(qt: QApplication) -> None:
    view = SummaryView(load_theme("light"))
    view.set_placeholder("No samples", "The profile has none.")
    assert view._hint.text() == "Searching…"
    view.show_sentences(())
    assert view._hint.text() == "Nothing stands out in the samples shown."
