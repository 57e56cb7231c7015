"""Filters of a tab, from chips, a frame's menu or typed patterns; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.function_actions import OF_ALL, add_filter
from stackglass_viewer.model.chart.profile_stretches import THREAD_KEYS
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.settings.label_choices import list_label_alternatives
from stackglass_viewer.presenter.settings.span_choice import describe_span
from stackglass_viewer.presenter.settings.thread_choice import NamePattern
from stackglass_viewer.presenter.settings.typed_filters import (
    STATE,
    FilterTarget,
    TypedFilter,
    find_kind,
    list_kinds,
    parse_label,
    parse_span,
    write_label,
)
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.dialogs.pattern_dialog import ask_filter
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_transforms(document: Document, page: ProfilePage) -> None:
    """Connect the chips of filters, their undo and redo, and the menu of a frame."""
    choices, bar = document.transforms, page.transform_bar
    choices.chosen_changed.connect(bar.show_chosen)
    bar.transform_dropped.connect(choices.drop)
    bar.transform_changed.connect(choices.change)
    bar.transform_moved.connect(choices.move)
    bar.all_dropped.connect(choices.drop_all)
    bar.kind_requested.connect(lambda kind: _filter_selected(document, page, TransformKind(kind)))
    bar.pattern_requested.connect(
        lambda step: (
            ask_any(document, page) if step is None else edit_transform(document, page, step)
        )
    )
    bar.undo_requested.connect(lambda: _answer(page, document.filters.undo(), "undo"))
    bar.redo_requested.connect(lambda: _answer(page, document.filters.redo(), "redo"))
    page.path_requested.connect(lambda path: choices.add(Transform(TransformKind.CALL_PATH, path)))
    page.transform_requested.connect(
        lambda kind, node: add_filter(
            document, page, TransformKind(kind), document.selection.function_of(node)
        )
    )


def _filter_selected(document: Document, page: ProfilePage, kind: TransformKind) -> None:
    """Add a filter on the selected function, or answer why that is not possible."""
    if document.info is None or not document.info.can_filter:
        page.message.show_answer(Notice("info", "There are no stacks to filter."))
    elif document.selection.function < 0 and kind not in OF_ALL:
        page.message.show_answer(Notice("info", "Select a function first, to filter by it."))
    else:
        add_filter(document, page, kind, document.selection.function)


def _answer(page: ProfilePage, is_done: bool, key: str) -> None:
    """Answer a key that had nothing to undo or to redo."""
    if not is_done:
        page.message.show_answer(Notice("info", f"There is no filter to {key}."))


def ask_any(document: Document, page: ProfilePage) -> None:
    """Ask for a filter of any kind that fits the document, and apply it."""
    targets = _find_targets(document)
    if not targets:
        page.message.show_answer(Notice("info", "There are no stacks to filter."))
        return
    typed = ask_filter(page, list_kinds(targets), None)
    if typed is None:
        return
    kind, text = typed
    match kind.target:
        case FilterTarget.FRAMES:
            document.transforms.add(_make_transform(typed))
        case FilterTarget.LABEL | FilterTarget.STATE:
            document.labels.add(_make_label(typed))
        case FilterTarget.THREAD:
            _filter_threads(document, text, kind.is_excluded)
        case FilterTarget.TIME:
            document.brush.choose(parse_span(text))


def edit_transform(document: Document, page: ProfilePage, step: Transform) -> None:
    """Ask for another pattern, and replace that of the filter ``step``."""
    edited = TypedFilter(find_kind(FilterTarget.FRAMES, transform=step.kind), step.name)
    typed = ask_filter(page, list_kinds(frozenset((FilterTarget.FRAMES,))), edited)
    if typed is not None:
        document.transforms.change(step, _make_transform(typed))


def edit_label(document: Document, page: ProfilePage, label: LabelFilter) -> None:
    """Ask for another pattern, and replace the filter ``label``, a pattern or a value."""
    if not isinstance(label, LabelPattern):
        _, other = list_label_alternatives(label)
        assert isinstance(other, LabelPattern)
        label_pattern = other._replace(is_excluded=False)
    else:
        label_pattern = label
    kind = find_kind(FilterTarget.LABEL, label_pattern.is_excluded)
    edited = TypedFilter(kind, write_label(label_pattern))
    typed = ask_filter(page, list_kinds(frozenset((FilterTarget.LABEL,))), edited)
    if typed is not None and typed != edited:  # if unchanged, a value stays a value
        document.labels.change(label, _make_label(typed))


def edit_threads(document: Document, page: ProfilePage) -> None:
    """Ask for another pattern for the names of threads."""
    named = document.threads.named
    if named is None:
        return
    edited = TypedFilter(find_kind(FilterTarget.THREAD, named.is_excluded), named.pattern)
    typed = ask_filter(page, list_kinds(frozenset((FilterTarget.THREAD,))), edited)
    if typed is not None:
        document.threads.choose_named(NamePattern(typed.text, typed.kind.is_excluded))


def edit_span(document: Document, page: ProfilePage) -> None:
    """Ask for another span of time, and replace the chosen one."""
    span = document.brush.chosen
    if span is None:
        return
    edited = TypedFilter(find_kind(FilterTarget.TIME), describe_span(span))
    typed = ask_filter(page, list_kinds(frozenset((FilterTarget.TIME,))), edited)
    if typed is not None and typed != edited:  # the text is rounded
        document.brush.choose(parse_span(typed.text))


def _find_targets(document: Document) -> frozenset[FilterTarget]:
    info = document.info
    if info is None:
        return frozenset()
    has_threads = isinstance(document, LiveDocument) or info.has_labels
    has_states = info.choice.is_wall or (info.has_labels and not info.is_live)
    offered = (
        (FilterTarget.FRAMES, info.can_filter),
        (FilterTarget.LABEL, info.has_labels),
        (FilterTarget.STATE, has_states),
        (FilterTarget.THREAD, has_threads and info.can_filter),
        (FilterTarget.TIME, info.has_times),
    )
    return frozenset(subject for subject, is_offered in offered if is_offered)


def _make_transform(typed: TypedFilter) -> Transform:
    assert typed.kind.transform is not None
    return Transform(typed.kind.transform, typed.text)


def _make_label(typed: TypedFilter) -> LabelPattern:
    if typed.kind.target is FilterTarget.STATE:
        return LabelPattern(STATE, typed.text.strip(), typed.kind.is_excluded)
    return parse_label(typed.text, typed.kind.is_excluded)


def _filter_threads(document: Document, pattern: str, is_excluded: bool) -> None:
    """Filter the threads of a process by name, or in a file by the label that names them."""
    if isinstance(document, LiveDocument):
        document.threads.choose_named(NamePattern(pattern, is_excluded))
    else:
        document.labels.add(LabelPattern(THREAD_KEYS[0], pattern, is_excluded))
