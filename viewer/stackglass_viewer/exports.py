"""Export of what a tab shows, as a picture or as data; part of the composition root.

The worker imports a writer when it first writes such a file, so that the window opens sooner.
"""

from __future__ import annotations

from collections.abc import Callable

from stackglass.version import VERSION
from stackglass.wire.profile_file import write_file
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.presenter.live.document_titles import title_document
from stackglass_viewer.presenter.saving.file_names import suggest_path
from stackglass_viewer.presenter.settings.filter_texts import describe_data
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.dialogs.questions import ask_export_path
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

_Write = Callable[[Profile, list[TypeId], str], bytes]

PPROF = ".pb.gz"
PICTURE = ".svg"
"""Endings of a suggested path."""


def _write_collapsed(profile: Profile, types: list[TypeId], _name: str) -> bytes:
    from stackglass_viewer.model.writers.collapsed import write_collapsed

    return write_collapsed(profile, types[0])


def _write_csv(profile: Profile, types: list[TypeId], _name: str) -> bytes:
    from stackglass_viewer.model.writers.csv_table import write_csv

    return write_csv(profile, types)


def _write_pprof(profile: Profile, _types: list[TypeId], _name: str) -> bytes:
    from stackglass_viewer.model.writers.pprof import write_pprof

    return write_pprof(profile)


def _write_speedscope(profile: Profile, types: list[TypeId], name: str) -> bytes:
    from stackglass_viewer.model.writers.speedscope import write_speedscope

    return write_speedscope(profile, name, types, VERSION)


def _write_session(profile: Profile, _types: list[TypeId], _name: str) -> bytes:
    from stackglass_viewer.model.session.profile_file import write_profile_file

    return write_profile_file(profile)


_WRITERS: dict[str, _Write] = {
    ".csv": _write_csv,
    ".collapsed": _write_collapsed,
    ".json": _write_speedscope,
    PPROF: _write_pprof,
    ".sgm": _write_session,
}

_OPENED = (".collapsed", ".json", PPROF, ".sgm")  # endings of files that the viewer can open


def _write_data(write: _Write, profile: Profile, shown: SampleType, name: str) -> bytes:
    """Write the profile with the sample type ``shown`` as its first."""
    kinds = list(profile.sample_types)
    first = kinds.index(shown) if shown in kinds else profile.default_type
    types = [TypeId(first), *(TypeId(at) for at in range(len(kinds)) if at != first)]
    return write(profile, types, name)


def _paint_png(
    scene: FlameScene, highlight: Highlight, theme: Theme, geometry: RowGeometry
) -> bytes:
    from stackglass_viewer.view.flame.picture import paint_png

    return paint_png(scene, highlight, theme, geometry)


def _write_svg(
    scene: FlameScene, about: tuple[str, str], theme: Theme, geometry: RowGeometry
) -> bytes:
    from stackglass_viewer.model.writers.flame_picture import PictureLook
    from stackglass_viewer.model.writers.flame_svg import write_flame_svg
    from stackglass_viewer.presenter.document.flame_picture import describe_scene

    look = PictureLook(theme.flame_background, theme.text, theme.label, geometry.is_upward)
    return write_flame_svg(describe_scene(scene), *about, look)


def _write_page(
    scene: FlameScene,
    shown_type: str,
    about: tuple[str, str],
    theme: Theme,
    geometry: RowGeometry,
) -> bytes:
    from stackglass_viewer.model.writers.flame_page import write_flame_page
    from stackglass_viewer.model.writers.flame_picture import PictureLook
    from stackglass_viewer.presenter.document.flame_picture import describe_scene

    look = PictureLook(theme.flame_background, theme.text, theme.label, geometry.is_upward)
    return write_flame_page([describe_scene(scene, shown_type)], *about, look)


def _draw_call_graph(
    scene: CallGraphScene, path: str, title: str, highlight: Highlight, theme: Theme
) -> bytes:
    from stackglass_viewer.view.graph.picture import paint_graph_png, paint_graph_svg

    if path.lower().endswith(".png"):
        return paint_graph_png(scene, highlight, theme)
    return paint_graph_svg(scene, title, highlight, theme)


def _find_drawn(page: ProfilePage) -> CallGraphScene | None:
    """Return the call graph if the page shows it."""
    panel = page.graphs.call_graph if page.view == "graph" else None
    return panel.view.scene if panel is not None else None


def _find_scene(document: Document, page: ProfilePage) -> FlameScene | None:
    """Return the calls over time if the page shows them, else the flame graph."""
    times = page.graphs.times
    is_over_time = page.view == "time" and times is not None and times.chart.scene is not None
    return times.chart.scene if is_over_time and times is not None else document.scene


def _say_nothing(document: Document) -> str:
    if document.info is None:
        return "There is nothing to export yet: the graph is still being built."
    return "There is nothing to export: this profile has no stacks."


def _refuse() -> bytes:
    raise ContentError("This profile has no stacks: export its call graph as .svg or .png.")


class Exports:
    """Exports what a tab shows to files. GUI thread; a worker makes and writes the files."""

    def __init__(
        self,
        windows: Windows,
        find_theme: Callable[[], Theme],
        remember: Callable[[str], object],
    ) -> None:
        """``find_theme`` returns the theme that the windows have now. ``remember`` is called with
        the path of each written file that the viewer can open again."""
        self._windows = windows
        self._remember = remember
        self._find_theme = find_theme
        self._worker: Worker | None = None  # made with the first file

    def export(self, document: Document, page: ProfilePage, ending: str = PICTURE) -> None:
        """Ask for a path, and write what the tab shows to it. ``ending``: ending of the path that
        the dialog suggests. The result is reported in the window that has the tab now."""
        window = self._windows.window_of(page)
        if document.scene is None and _find_drawn(page) is None:
            self._windows.show_notice(Notice("info", _say_nothing(document)), window)
            return
        path = ask_export_path(
            Asker(window or self._windows.active, self._windows.folder),
            suggest_path(title_document(document), ending),
        )
        if path:
            draw = self._prepare(document, page, path)
            self._start().submit(
                path,
                lambda: write_file(path, draw()),
                lambda _: self._on_written(path, window),
                lambda error: self._on_failed(error, window),
            )

    def _prepare(self, document: Document, page: ProfilePage, path: str) -> Callable[[], bytes]:
        """Return the function that makes the file in the worker; the path's ending chooses it."""
        scene = _find_scene(document, page)
        theme = self._find_theme()
        highlight = Highlight(document.search.matches, document.selection.function)
        write = _find_writer(path)
        read = document.prepare_profile()
        name = title_document(document)
        if write is not None:
            if read is None:
                return _refuse
            shown_type = document.shown_type
            return lambda: _write_data(write, read(), shown_type, name)
        about = (name, describe_data(document.info, document.filters.current))
        drawn = _find_drawn(page)
        if drawn is not None and not path.lower().endswith((".html", ".htm")):
            return lambda: _draw_call_graph(drawn, path, about[0], highlight, theme)
        if scene is None:
            return _refuse
        geometry = page.graphs.camera.geometry
        if path.lower().endswith(".png"):
            return lambda: _paint_png(scene, highlight, theme, geometry)
        shown_name = document.shown_type.name
        if path.lower().endswith((".html", ".htm")):
            return lambda: _write_page(scene, shown_name, about, theme, geometry)
        return lambda: _write_svg(scene, about, theme, geometry)

    def _start(self) -> Worker:
        if self._worker is None:
            self._worker = Worker("export")
        return self._worker

    def _on_written(self, path: str, window: MainWindow | None) -> None:
        if path.lower().endswith(_OPENED):
            self._remember(path)
        self._windows.show_notice(Notice("info", f"Saved {path}."), window)

    def _on_failed(self, error: Exception, window: MainWindow | None) -> None:
        self._windows.show_notice(Notice("error", " ".join(str(error).split())), window)

    def stop(self, deadline_s: float | None = None) -> None:
        """Write the files that are still to be written, and end the thread. ``deadline_s``: see
        ``Worker.finish``."""
        if self._worker is not None:
            self._worker.finish(deadline_s)


def _find_writer(path: str) -> _Write | None:
    """Return the writer for a path; None = the path is a picture's."""
    endings = (ending for ending in _WRITERS if path.lower().endswith(ending))
    ending = next(endings, None)
    return _WRITERS[ending] if ending is not None else None
