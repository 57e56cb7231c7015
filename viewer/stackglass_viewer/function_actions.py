"""Actions on a function, from the menus and keys of every view; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.profile.packages import package_or_library
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import is_split_value
from stackglass_viewer.presenter.live.labelled_graph import THREAD
from stackglass_viewer.presenter.settings.label_choices import list_label_alternatives
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.window.profile_page import ProfilePage

_KINDS = frozenset(kind.value for kind in TransformKind)
OF_ALL = (TransformKind.RECURSION, TransformKind.OWN_CODE)  # need no function's name


def act_on_function(document: Document, page: ProfilePage, name: str, function: int) -> None:
    """Run the action ``name``: sandwich, source, search, copy, copy_place or the value of a
    TransformKind.

    Other names are ignored: ``editing`` handles "editor".
    """
    if name == "sandwich":
        document.selection.choose_function(function)
        page.show_view("sandwich")
    elif name == "source":
        open_source(document, page, function)
    elif name == "search":
        page.search.set_pattern(exact_pattern(document.top.name_of(function)))
    elif name == "copy":
        page.copy_requested.emit(document.top.name_of(function), "name")
    elif name == "copy_place":
        subject = document.source.find(function)
        if subject is not None:
            page.copy_requested.emit(subject.place, "place")
    elif name in _KINDS:
        add_filter(document, page, TransformKind(name), function)


def open_source(document: Document, page: ProfilePage, function: int) -> None:
    """Show the function's file line by line, or a notice that the file is unknown."""
    if document.source.choose(function):
        page.show_view("source")
    elif function >= 0:
        text = "The profile does not say which file this function is in."
        page.message.show_answer(Notice("info", text))


def add_filter(document: Document, page: ProfilePage, kind: TransformKind, function: int) -> None:
    """Add a filter on the function, or show a notice if the profile does not name it."""
    value = _find_split_value(document, function)
    if value and kind not in OF_ALL:
        _filter_by_value(document, page, kind, value)
        return
    name = ""
    if kind not in OF_ALL:
        subject = document.source.find(function)
        if kind is TransformKind.MERGE_FILE:
            name = subject.file if subject is not None else ""
        elif kind is TransformKind.PACKAGE:
            file = subject.file if subject is not None else ""
            name = package_or_library(document.top.name_of(function), file)
        else:
            name = document.top.name_of(function)
        if not name or name.startswith("["):
            what = "its package" if kind is TransformKind.PACKAGE else "its file"
            text = f"No filter was added: the profile does not name this function or {what}."
            page.message.show_answer(Notice("info", text))
            return
    document.transforms.add(Transform(kind, name))


def _find_split_value(document: Document, function: int) -> str:
    """Return the name of a box for a value of the label that the graph is split by; "" = it is of a
    function."""
    scene = document.scene
    if scene is None or not scene.is_split or function < 0:
        return ""
    return scene.tree.frame_name[function] if is_split_value(scene, function) else ""


def _filter_by_value(document: Document, page: ProfilePage, kind: TransformKind, name: str) -> None:
    """Filter by a value of the label that the graph is split by, or answer where that is done: a
    filter of functions would hide everything."""
    key = document.labels.split_key
    prefix = f"{key} = "
    value: LabelFilter = (key, name.removeprefix(prefix))
    filters = {
        TransformKind.FOCUS: value,
        TransformKind.SUBTREE: value,
        TransformKind.DROP: list_label_alternatives(value)[1],
    }
    is_single = name.startswith(prefix) and "," not in name  # a sample may have several values
    if is_single and kind in filters:
        document.labels.add(filters[kind])
        return
    place = "the list of threads" if key == THREAD else "Labels (7)"
    text = f"{make_printable(name)} is not a function. Filter by it in {place}."
    page.message.show_answer(Notice("info", text))
