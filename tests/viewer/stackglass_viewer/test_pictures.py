"""Pictures of a view: on the clipboard, in files, on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer import pictures
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.pictures import describe_view
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.view.window.view_picture import list_shown, paint_page, write_pdf

WaitUntil = Callable[[Callable[[], bool]], None]
VIEWS = (
    "flame",
    "both",
    "top",
    "sandwich",
    "graph",
    "labels",
    "source",
    "summary",
    "tree",
    "traces",
)


@pytest.fixture
def page(app: App, tmp_path: Path, wait_until: WaitUntil) -> ProfilePage:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 30"))
    app.open_files((str(path),))
    wait_until(lambda: app.window.page is not None)
    wait_until(lambda: next(iter(app.documents.values())).scene is not None)
    shown = app.window.page
    assert shown is not None
    return shown


def ask(app: App, what: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Do so, with this answer to where to; returns what was suggested."""
    suggested: list[str] = []

    def answer(_parent: object, suggestion: str) -> str:
        suggested.append(suggestion)
        return str(path)

    monkeypatch.setattr(pictures, "ask_picture_path", answer)
    monkeypatch.setattr(pictures, "ask_pdf_path", answer)
    app.window.picture_requested.emit(what)
    return suggested[0] if suggested else ""


def read_notice(app: App) -> str:
    notice = app.window.message.notice
    return notice.text if notice is not None else ""


def count_colours(image: QImage) -> int:
    places = ((x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7))
    return len({image.pixel(x, y) for x, y in places})


def test_every_view_is_copied_as_it_is_seen(app: App, page: ProfilePage) -> None:
    for view in VIEWS:
        page.show_view(view)
        QGuiApplication.processEvents()
        (part,) = list_shown(page)
        width_px, height_px = part.width(), part.height()
        app.window.picture_requested.emit("copy")
        image = QGuiApplication.clipboard().image()
        assert (image.width(), image.height()) == (2 * width_px, 2 * height_px), view
        assert count_colours(image) > 3, view
        notice = page.message.notice
        assert notice is not None
        assert notice.text == "Copied the picture of this view."


def test_the_timeline_is_in_the_picture_only_where_it_is_shown(qt: QApplication) -> None:
    """To look for it made one, which takes a dozen milliseconds."""
    worker = Worker("test")
    page = ProfilePage(TopModel(worker), HeapModel(), load_theme("light"))
    live = page.add_live_controls(ThreadModel())
    page.show()
    assert list_shown(page) == [page.area]
    assert live._timeline is None
    live.show_timeline(True)
    assert list_shown(page) == [live.timeline, page.area]
    live.show_timeline(False)
    assert list_shown(page) == [page.area]
    page.close()
    page.deleteLater()
    worker.stop()


def test_a_png_says_what_it_is(
    app: App,
    page: ProfilePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    path = tmp_path / "out.png"
    suggested = ask(app, "save", path, monkeypatch)
    wait_until(lambda: read_notice(app) == f"Saved {path}.")
    assert Path(suggested).name.startswith("cpu-")
    image = QImage(str(path))
    assert image.text("Title") == "cpu.pb.gz"
    assert image.text("Description").startswith("Flame graph · cpu\n")
    scene = next(iter(app.documents.values())).scene
    assert scene is not None
    root = QColor.fromRgb(scene.root_colour & 0xFFFFFF)
    assert image.pixelColor(image.width() // 2, 6) == root


def test_an_svg_has_words_as_words(
    app: App,
    page: ProfilePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    path = tmp_path / "out.svg"
    page.show_view("both")
    ask(app, "save", path, monkeypatch)
    wait_until(lambda: read_notice(app) == f"Saved {path}.")
    texts = " ".join(each.text or "" for each in ElementTree.parse(path).getroot().iter())
    assert "cpu.pb.gz" in texts
    assert {"main", "load", "save"} <= set(texts.split())


def test_a_file_that_cannot_be_written_is_named(
    app: App,
    page: ProfilePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    path = tmp_path / "none" / "out.png"
    ask(app, "save", path, monkeypatch)
    wait_until(lambda: str(path) in read_notice(app))
    pdf = tmp_path / "none" / "out.pdf"
    monkeypatch.setattr(QPrinterInfo, "availablePrinterNames", list)
    ask(app, "print", pdf, monkeypatch)
    wait_until(lambda: str(pdf) in read_notice(app))


def test_without_a_printer_a_pdf_is_written(
    app: App,
    page: ProfilePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    app.window.setting_chosen.emit("theme", "dark")
    path = tmp_path / "out.pdf"
    monkeypatch.setattr(QPrinterInfo, "availablePrinterNames", list)
    seen: list[object] = []

    def write(*arguments: object) -> bytes:
        seen.append(arguments[1])
        return write_pdf(*arguments)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(pictures, "write_pdf", write)
    assert ask(app, "print", path, monkeypatch).endswith(".pdf")
    wait_until(lambda: read_notice(app) == f"There is no printer. Saved {path}.")
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Type /Page\n") == 1
    assert seen == [load_theme("light").window]  # of a dark window, too
    assert app.window._theme.is_dark


def test_a_printer_gets_the_page(
    app: App, page: ProfilePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "printed.pdf"

    def answer(dialog: QPrintDialog) -> bool:
        printer = dialog.printer()
        printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printer.setOutputFileName(str(path))
        return True

    monkeypatch.setattr(QPrinterInfo, "availablePrinterNames", lambda: ["one"])
    monkeypatch.setattr(QPrintDialog, "exec", answer)
    app.window.picture_requested.emit("print")
    assert path.read_bytes().startswith(b"%PDF-")


def test_the_header_says_what_is_in_sight(app: App, page: ProfilePage) -> None:
    document = app.documents[page]
    text = describe_view(page, document)
    assert (text.title, text.kind) == ("cpu.pb.gz", "Flame graph · cpu")
    assert "Total" in text.about
    assert "Stackglass" in text.printed
    page.graphs.camera.navigation.show(0.0, 0.25, 0.0)
    text = describe_view(page, document)
    assert text.kind == "Flame graph · cpu · its width is 25.0% of the whole"
    document.transforms.add(Transform(TransformKind.OWN_CODE, ""))
    assert describe_view(page, document).about == f"{text.about}  ·  Filtered: only my code"


def test_the_header_is_above_the_picture(app: App, page: ProfilePage) -> None:
    image = QImage(800, 1200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    text = describe_view(page, app.documents[page])
    paint_page(painter, QRectF(0, 0, 800, 1200), list_shown(page), "#ff00ff", text)
    painter.end()
    dark = [y for y in range(60) if any(image.pixelColor(x, y).value() < 99 for x in range(400))]
    assert dark  # words
    assert image.pixelColor(400, 2) == QColor("white")  # between title and date
    part = list_shown(page)[0]
    foot = next(y for y in range(1199, 0, -1) if image.pixelColor(400, y) != QColor("white"))
    assert foot > max(dark)
    assert foot < 60 + 800 * part.height() / part.width() + 5  # its shape is kept
