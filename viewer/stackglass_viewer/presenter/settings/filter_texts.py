"""Filters in words, for what leaves the window: a picture has no chips to show what is left out."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.filter_sets import FilterSet
from stackglass_viewer.presenter.settings.label_choices import describe_labels
from stackglass_viewer.presenter.settings.span_choice import describe_span
from stackglass_viewer.presenter.settings.thread_choice import ThreadChoice
from stackglass_viewer.presenter.settings.transform_choices import describe_transform
from stackglass_viewer.presenter.settings.view_state import DocumentInfo


def describe_data(info: DocumentInfo | None, filters: FilterSet) -> str:
    """Return the description of the data with the filters that have an effect on them:
    ``1.20 s of CPU time  ·  Filtered: only route = /a``. "" = nothing is shown yet."""
    if info is None:
        return ""
    parts = _list_filters(info, filters)
    return "  ·  ".join([info.description, *([f"Filtered: {'; '.join(parts)}"] if parts else [])])


def _list_filters(info: DocumentInfo, filters: FilterSet) -> list[str]:
    parts = []
    if info.can_filter:
        parts += [_begin_small(describe_transform(each)) for each in filters.transforms]
    labels = {label for label in filters.labels if label[0] not in info.idle_keys}
    if info.has_labels and labels:
        parts.append(f"only {describe_labels(labels)}")
    if filters.threads.has_filters:
        parts.append(_describe_threads(filters.threads))
    if filters.span is not None:
        parts.append(f"only {describe_span(filters.span)}")
    return parts


def _describe_threads(threads: ThreadChoice) -> str:
    if threads.named is not None:
        which = "without" if threads.named.is_excluded else "only"
        return f"{which} threads ~ {threads.named.pattern}"
    if threads.folded:
        return "only some threads"  # a row of the list stands for several
    return f"only {len(threads.tids)} thread{'s' if len(threads.tids) > 1 else ''}"


def _begin_small(text: str) -> str:
    return text[:1].lower() + text[1:]
