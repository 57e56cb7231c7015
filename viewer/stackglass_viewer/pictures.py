"""Pictures of what a tab shows: copied, saved, printed; part of the composition root."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from stackglass.version import VERSION
from stackglass.wire.profile_file import write_file
from stackglass_viewer.appearance import Appearance
from stackglass_viewer.model.units import format_share
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document_titles import title_document
from stackglass_viewer.presenter.saving.file_names import suggest_path
from stackglass_viewer.presenter.settings.copied_texts import COPIED
from stackglass_viewer.presenter.settings.filter_texts import describe_data
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.dialogs.questions import ask_pdf_path, ask_picture_path
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.widgets.copied_text import show_copied
from stackglass_viewer.view.widgets.theme import Theme, apply_theme, load_theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.view.window.view_picture import (
    PictureText,
    draw_image,
    encode_png,
    list_shown,
    make_layout,
    paint_page,
    write_pdf,
    write_svg,
)
from stackglass_viewer.windows import Windows

_KINDS = {
    "flame": "Flame graph",
    "both": "Flame graph and table of functions",
    "top": "Table of functions",
    "sandwich": "Callers and callees",
    "graph": "Call graph",
    "time": "Over time",
    "heap": "Sites of the heap",
    "contention": "Waits",
    "labels": "Labels",
    "source": "Source",
    "summary": "Summary",
    "tree": "Call tree",
    "traces": "Traces",
}
_KINDS |= {name: view.title for name, view in TRACE_VIEWS.items()}
_PAPER = "light"  # theme


class Pictures:
    """Copies, saves and prints what a tab shows. GUI thread; a worker writes the files."""

    def __init__(
        self, windows: Windows, appearance: Appearance, documents: dict[ProfilePage, Document]
    ) -> None:
        self._windows = windows
        self._appearance = appearance
        self._documents = documents
        self._worker: Worker | None = None  # made with the first file
        windows.picture_requested.connect(self._act)

    def _act(self, what: str) -> None:
        page = self._windows.page
        if page is None:
            return
        window = self._windows.active
        parts, text = list_shown(page), describe_view(page, self._documents[page])
        if what == "copy":
            image = draw_image(parts, self._appearance.theme.window)
            QGuiApplication.clipboard().setImage(image)
            show_copied(COPIED["picture"], page)
        elif what == "save":
            self._save(window, parts, text)
        else:
            self._print(window, page, text)

    def _report(self, text: str, window: MainWindow) -> None:
        self._windows.show_notice(Notice("info", text), window)

    def _save(self, window: MainWindow, parts: list[QWidget], text: PictureText) -> None:
        path = ask_picture_path(
            Asker(window, self._windows.folder), suggest_path(text.title, ".png")
        )
        if not path:
            return
        background = self._appearance.theme.window
        if path.lower().endswith(".svg"):
            content = write_svg(parts, background, text)
            self._write(window, path, lambda: write_file(path, content))
        else:
            image = draw_image(parts, background)
            self._write(window, path, lambda: write_file(path, encode_png(image, text)))

    def _write(
        self, window: MainWindow, path: str, write: Callable[[], object], why: str = ""
    ) -> None:
        """Write a file in the worker, and report the result in ``window``."""

        def on_failed(error: Exception) -> None:
            self._windows.show_notice(Notice("error", " ".join(str(error).split())), window)

        if self._worker is None:
            self._worker = Worker("pictures")
        self._worker.submit(
            path, write, lambda _: self._report(f"{why}Saved {path}.", window), on_failed
        )

    def _print(self, window: MainWindow, page: ProfilePage, text: PictureText) -> None:
        """Print the view, or save it as a PDF file if there is no printer."""
        # Imported here, so that the library for printing is loaded only by users who print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo

        if not QPrinterInfo.availablePrinterNames():
            path = ask_pdf_path(
                Asker(window, self._windows.folder), suggest_path(text.title, ".pdf")
            )
            if path:
                content = self._make_pdf(page, text)
                why = "There is no printer. "
                self._write(window, path, lambda: write_file(path, content), why)
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setPageLayout(make_layout(list_shown(page)))
        printer.setDocName(text.title)
        if not QPrintDialog(printer, window).exec():
            return
        painter = QPainter()
        if not painter.begin(printer):
            notice = Notice("error", "The printer does not accept the page.")
            self._windows.show_notice(notice, window)
            return
        paper = load_theme(_PAPER)
        self._apply_theme(page, paper)
        area = printer.pageLayout().paintRectPixels(printer.resolution())
        area.moveTo(0, 0)
        paint_page(painter, area.toRectF(), list_shown(page), paper.window, text)
        self._apply_theme(page, self._appearance.theme)
        painter.end()

    def _make_pdf(self, page: ProfilePage, text: PictureText) -> bytes:
        paper = load_theme(_PAPER)
        self._apply_theme(page, paper)
        content = write_pdf(list_shown(page), paper.window, text)
        self._apply_theme(page, self._appearance.theme)
        return content

    def _apply_theme(self, page: ProfilePage, theme: Theme) -> None:
        """Give the page another theme. Paper is white, so a dark page is printed in light colours
        and gets its own theme back after that. Does nothing if the windows are light."""
        if self._appearance.theme.name == load_theme(_PAPER).name:
            return
        qt = QApplication.instance()
        assert isinstance(qt, QApplication)
        apply_theme(qt, theme)
        page.set_theme(theme)

    def stop(self, deadline_s: float | None = None) -> None:
        """Write the files that are still to be written, and end the thread. ``deadline_s``: see
        ``Worker.finish``."""
        if self._worker is not None:
            self._worker.finish(deadline_s)


def describe_view(page: ProfilePage, document: Document) -> PictureText:
    """Return the text above a printed view, which is also the description in a PNG or SVG."""
    kind = _KINDS.get(page.view, page.view)
    kind = f"{kind} · {document.shown_type.name}"
    span = page.graphs.camera.navigation.view.span
    if page.view in ("flame", "both") and span < 1:
        kind += f" · its width is {format_share(span)} of the whole"
    now = time.strftime("%Y-%m-%d %H:%M")
    about = describe_data(document.info, document.filters.current)
    return PictureText(title_document(document), kind, about, f"{now} · Stackglass {VERSION}")
