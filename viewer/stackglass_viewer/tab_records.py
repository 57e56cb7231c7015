"""Records of tabs: reads the choices of a tab, and applies them when the tab is opened again.

::

    tab ─▶ TabRecord ╌╌ next start ╌╌▶ tab: span, threads, sample type, filters, views, zoom
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from stackglass_viewer.model.patterns import is_pattern
from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import PATTERN_KINDS
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.kept_zoom import find_zoom, read_zoom
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.settings.open_tabs import Growth, TabRecord, ZoomRecord
from stackglass_viewer.presenter.settings.view_layout import make_preset
from stackglass_viewer.presenter.settings.view_state import SPANS_NS
from stackglass_viewer.view.window.profile_page import ProfilePage


def read_capture(document: Document) -> tuple[str, frozenset[int]]:
    """Return the span and the thread IDs that a capture shows; empty for other documents."""
    if not isinstance(document, LiveDocument):
        return "", frozenset()
    return document.span, document.threads.chosen or frozenset()


def read_kept_zoom(document: Document, page: ProfilePage) -> ZoomRecord | None:
    """Return the zoom of the flame graph; None = it shows everything, or there is none."""
    scene = document.scene
    return None if scene is None else read_zoom(scene, page.graphs.camera.navigation.view)


def read_growth(document: Document) -> Growth | None:
    """Return the two markers of the timeline; None = growth between markers is not shown."""
    window = document.timeline.markers.marks.window if isinstance(document, LiveDocument) else None
    if window is None or window.kind != "growth":
        return None
    return Growth(window.after, window.until)


def prepare_tab(record: TabRecord, document: Document, page: ProfilePage) -> None:
    """Apply the record once the document is built, or now if it is."""
    if document.info is not None:
        apply_record(record, document, page)
        return
    document.built.connect(
        lambda _: apply_record(record, document, page), Qt.ConnectionType.SingleShotConnection
    )


def apply_record(record: TabRecord, document: Document, page: ProfilePage) -> None:
    """Choose everything in the tab that was chosen when the record was made."""
    if isinstance(document, LiveDocument):
        if record.span in SPANS_NS and record.span != document.span:
            document.span_wanted.emit(record.span)
        if record.path:  # not for a process: its threads may have ended
            document.threads.choose(record.tids & document.threads.tids)
        if record.named is not None and is_pattern(record.named.pattern):
            document.threads.choose_named(record.named)
    document.choose_sample_type(record.sample_type)
    if not _has_sound_patterns(record):
        record = replace(record, labels=frozenset(), transforms=())
    if record.labels:
        document.labels.choose(record.labels)
    if record.transforms:
        document.transforms.choose(record.transforms)
    if record.path:  # not for a process: a new capture has other times
        document.brush.choose(record.brush)
        if record.growth is not None and isinstance(document, LiveDocument):
            document.timeline.markers.choose_growth(*record.growth)
    _show_views(record, page)
    document.builds.when_shown(lambda: _zoom(record, document, page))


def _has_sound_patterns(record: TabRecord) -> bool:
    """Whether all patterns of the filters can be applied; the others alone would show something
    else."""
    patterns = [each.pattern for each in record.labels if isinstance(each, LabelPattern)]
    patterns += [step.name for step in record.transforms if step.kind in PATTERN_KINDS]
    return all(map(is_pattern, patterns))


def _show_views(record: TabRecord, page: ProfilePage) -> None:
    """Show the layout of several views, or the one view that was chosen."""
    if record.layout is not None:
        page.layout_choice.restore(record.layout)
        return
    if page.layout_choice.is_arranged:
        page.layout_choice.restore(make_preset("flame"))
    if record.view != page.view and record.view not in page.missing:
        page.show_view(record.view)


def _zoom(record: TabRecord, document: Document, page: ProfilePage) -> None:
    """Zoom the flame graph as it was, unless the user has zoomed it already."""
    if record.zoom is None or document.scene is None or page.graphs.camera.is_zoomed:
        return
    view = find_zoom(document.scene, record.zoom)
    if view is not None:
        page.graphs.camera.restore(view)
