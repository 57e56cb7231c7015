"""Comparisons in the window: the dialog, a dropped file, a kept moment, the bar."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

from harness.profiles import encode_stacks
from harness.synthetic_engine import DEMO_STACKS, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer import comparisons
from stackglass_viewer.app import App
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.compared_document import ComparedDocument
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice
from stackglass_viewer.presenter.tables.table_model import say_cell
from stackglass_viewer.presenter.tables.top_model import TopColumn
from stackglass_viewer.view.dialogs.compare_dialog import CompareDialog
from stackglass_viewer.view.flame.compare_bar import CompareBar
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
CPROFILE = Path(__file__).resolve().parents[2] / "corpus" / "cprofile.workload.py3.12.prof"


class Files:
    """Two files, and the tabs of a window."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        self.app = app
        self.wait_until = wait_until
        self.before, self.after = (str(folder / f"{name}.pb.gz") for name in ("before", "after"))
        Path(self.before).write_bytes(encode_stacks("main;load 30\nmain;save 40"))
        Path(self.after).write_bytes(encode_stacks("main;load 50\nmain;new 5"))

    def open(self, *paths: str) -> None:
        for path in paths:
            self.app.open_files((path,))
            self.wait_until(lambda path=path: self.is_front(Path(path).name))  # type: ignore[misc]

    def is_front(self, title: str) -> bool:
        page = self.app.window.page
        if page is None or self.app.window.title_of(page) != title:
            return False
        return self.app.documents[page].info is not None

    def wait_for_comparison(self, title: str) -> tuple[ProfilePage, ComparedDocument]:
        self.wait_until(lambda: self.is_front(title))
        page = self.app.window.page
        assert page is not None
        document = self.app.documents[page]
        assert isinstance(document, ComparedDocument)
        return page, document

    def show_dialog(self) -> CompareDialog:
        self.app.window.compare_requested.emit()
        return self.app.window.findChildren(CompareDialog)[-1]

    def press(self, text: str) -> None:
        """The button of the notice."""
        bar = self.app.window.message
        self.wait_until(lambda: bar.notice is not None and bar.notice.action_label == text)
        next(each for each in bar.findChildren(QPushButton) if each.text() == text).click()


@pytest.fixture
def files(app: App, tmp_path: Path, wait_until: WaitUntil) -> Files:
    return Files(app, tmp_path, wait_until)


def list_flat(document: ComparedDocument) -> dict[str, str]:
    """The first column of the table, by function."""
    top = document.top
    columns = [list(top.columns).index(each) for each in (TopColumn.NAME, TopColumn.FLAT)]
    rows = [[top.cell(row, column) for column in columns] for row in range(top.rowCount())]
    return {say_cell(name): say_cell(flat) for name, flat in rows if name and flat}


def test_the_dialog_offers_the_tab_before_as_the_base(files: Files) -> None:
    files.open(files.before, files.after)
    dialog = files.show_dialog()
    assert dialog.chosen == ("tab 0", "tab 1")
    next(each for each in dialog.findChildren(QPushButton) if each.text() == "Compare").click()
    page, document = files.wait_for_comparison("before.pb.gz → after.pb.gz")
    assert list_flat(document) == {
        "save": "−40 ns",
        "load": "+20 ns",
        "new": "+5 ns",
        "main": "–",
    }
    texts = [each.text() for each in page._details._values]
    assert texts == ["0 ns", "−15 ns", "21.4%", "70 ns"]  # flat, cum, of the base, cum before
    bar = page.findChild(CompareBar)
    assert bar is not None
    swap = next(each for each in bar.findChildren(QToolButton) if "Swap" in each.text())
    QTest.mouseClick(swap, Qt.MouseButton.LeftButton)
    files.wait_for_comparison("after.pb.gz → before.pb.gz")
    files.wait_until(lambda: list_flat(document).get("save") == "+40 ns")


def test_one_profile_is_not_compared_with_itself(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.open(files.before)
    dialog = files.show_dialog()
    compare = next(each for each in dialog.findChildren(QPushButton) if each.text() == "Compare")
    assert dialog.chosen == ("", "tab 0")
    assert not compare.isEnabled()
    monkeypatch.setattr(comparisons, "ask_compared", lambda _parent: files.after)
    dialog.file_requested.emit(0)
    assert dialog.chosen == (files.after, "tab 0")
    assert compare.isEnabled()
    compare.click()
    files.wait_for_comparison("after.pb.gz → before.pb.gz")


def test_a_dropped_file_can_be_compared_with_the_tab_below(files: Files) -> None:
    files.open(files.before)
    files.app.window.files_dropped.emit((files.after,))
    files.press("Compare with before.pb.gz")
    files.wait_for_comparison("before.pb.gz → after.pb.gz")


def test_each_window_offers_the_file_that_was_dropped_there(files: Files) -> None:
    """The first notice offered the second file, and then did nothing."""
    files.open(files.before)
    windows, first = files.app.windows, files.app.window
    first.files_dropped.emit((files.after,))
    files.wait_until(lambda: first.message.notice is not None)
    second = windows.open()
    files.app.open_files((files.after,))
    files.wait_until(lambda: second.page is not None and len(files.app.documents) == 3)
    files.wait_until(lambda: all(each.info is not None for each in files.app.documents.values()))
    second.files_dropped.emit((files.before,))
    files.press("Compare with after.pb.gz")
    files.wait_for_comparison("after.pb.gz → before.pb.gz")
    windows._activate(first)
    files.press("Compare with before.pb.gz")
    files.wait_for_comparison("before.pb.gz → after.pb.gz")
    assert first.message.notice is None


def test_of_several_dropped_files_none_is_offered(files: Files) -> None:
    """It would hide the errors of those that cannot be opened."""
    files.open(files.before)
    comparisons = files.app.pages.comparisons
    comparisons.expect((files.after, "/nowhere/gone.pb"))
    comparisons.offer(files.after, open_profile(files.after))
    assert files.app.window.message.notice is None


def test_two_moments_of_a_capture_are_compared(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    session = WindowSession(files.app, engine, monkeypatch, files.wait_until)
    engine.send_ready()
    engine.send_samples(DEMO_STACKS)
    files.wait_until(lambda: session.total == 40_000_000)
    files.app.window.keep_requested.emit()
    files.wait_until(lambda: files.app.window.message.notice is not None)
    engine.send_samples(DEMO_STACKS[:1] * 3)
    files.wait_until(lambda: session.total == 70_000_000)
    files.press("Compare…")
    dialog = files.app.window.findChildren(CompareDialog)[-1]
    assert dialog.chosen == ("kept 0", "tab 0")
    next(each for each in dialog.findChildren(QPushButton) if each.text() == "Compare").click()
    files.wait_until(lambda: len(files.app.documents) == 2)
    document = [*files.app.documents.values()][-1]
    assert isinstance(document, ComparedDocument)
    files.wait_until(lambda: document.info is not None)
    base, other = document.title.split(" → ")
    assert base.startswith(f"{session.document.title} at ")
    assert other.startswith(f"{session.document.title} at ")
    assert list_flat(document)["json.decoder.decode"] == "+30.0 ms"
    assert document.info is not None
    assert document.info.description.startswith("40.0 ms → 70.0 ms  ·  +30.0 ms, 75.0%")


def test_two_saved_sessions_are_compared_by_name(
    files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """CPU time and memory are; the rest of a session is no single profile, and that is said."""
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(files.app, engine, monkeypatch, files.wait_until)
    engine.send_ready()
    morning, evening = (str(tmp_path / f"{name}.sgm") for name in ("morning", "evening"))
    for number, path in enumerate((morning, evening), 1):
        engine.send_samples()
        files.wait_until(lambda number=number: session.total == 40_000_000 * number)  # type: ignore[misc]
        session.document.saver.save(session.document.saveable, path, "session")
        files.wait_until(lambda path=path: Path(path).exists())  # type: ignore[misc]
    files.app.compare_files(morning, evening, CompareChoice())
    page, document = files.wait_for_comparison("morning.sgm → evening.sgm")
    assert document.info is not None
    assert document.info.description.startswith("40.0 ms → 80.0 ms  ·  +40.0 ms")
    assert page.message.notice is not None
    assert page.message.notice.text.startswith("Of a saved session, only CPU time and memory")


def test_a_tab_without_stacks_is_not_kept(files: Files) -> None:
    files.open(str(CPROFILE))
    files.app.window.keep_requested.emit()
    notice = files.app.window.message.notice
    assert notice is not None
    assert notice.text.startswith("This tab cannot be kept")


def test_a_command_names_both(files: Files) -> None:
    files.app.compare_files(files.before, files.after, CompareChoice("changes", is_scaled=True))
    page, document = files.wait_for_comparison("before.pb.gz → after.pb.gz")
    assert document.choice == CompareChoice("changes", is_scaled=True)
    bar = page.findChild(CompareBar)
    assert bar is not None
    pressed = [each.text() for each in bar._shown.buttons if each.isChecked()]
    assert pressed == ["Changes"]


def test_files_without_stacks_are_refused_in_a_sentence(files: Files) -> None:
    files.app.compare_files(str(CPROFILE), files.after, CompareChoice())
    bar = files.app.window.message
    files.wait_until(lambda: bar.notice is not None)
    assert bar.notice is not None
    assert "file, without stacks to compare" in bar.notice.text


def test_a_dropped_file_that_cannot_be_opened_is_forgotten(files: Files) -> None:
    """Opened in another way later, it was not dropped."""
    files.open(files.before)
    Path(files.after).write_bytes(b"")
    window, comparing = files.app.window, files.app.pages.comparisons
    window.files_dropped.emit((files.after,))
    assert comparing._dropped
    files.wait_until(lambda: window.message.notice is not None)
    assert not comparing._dropped
    window.files_dropped.emit((files.after,))
    window.loading.cancel_requested.emit()
    assert not comparing._dropped


def test_a_tab_that_was_closed_is_compared_with_nothing(files: Files) -> None:
    files.open(files.before)
    window = files.app.window
    below = window.page
    window.files_dropped.emit((files.after,))
    files.wait_until(lambda: window.message.notice is not None)
    window.page_close_requested.emit(below)
    files.press("Compare with before.pb.gz")
    assert window.message.notice is not None
    assert window.message.notice.text.startswith("The tab to compare with is closed")


def test_the_summary_of_an_even_change_is_that_of_the_total(files: Files, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.pb.gz") for name in ("much", "little")]
    for path, value in zip(paths, (1000, 16), strict=True):
        Path(path).write_bytes(encode_stacks("\n".join(f"main;f{n} {value}" for n in range(20))))
    files.app.compare_files(paths[0], paths[1], CompareChoice())
    page, _ = files.wait_for_comparison("much.pb.gz → little.pb.gz")
    page.show_view("summary")
    summary = page.tables.summary
    assert summary is not None
    files.wait_until(lambda: bool(summary._sentences))
    assert [each.text for each in summary._sentences] == [
        "The total shrank: −19.7 µs, 98.4% of the base. The change is spread over 20 functions, "
        "and none has more than 5.0% of it."
    ]
    summary._labels[0].linkActivated.emit("0")
    assert page.view == "top"


def test_equal_profiles_are_said_to_be_equal(files: Files) -> None:
    """An empty table said that the profile has no values of this type."""
    Path(files.after).write_bytes(Path(files.before).read_bytes())
    files.open(files.before, files.after)
    dialog = files.show_dialog()
    next(each for each in dialog.findChildren(QPushButton) if each.text() == "Compare").click()
    page, document = files.wait_for_comparison("before.pb.gz → after.pb.gz")
    files.wait_until(lambda: document.scene is not None)
    assert list_flat(document) == {}
    assert page.flame.graph._placeholder[0] == "No difference"
