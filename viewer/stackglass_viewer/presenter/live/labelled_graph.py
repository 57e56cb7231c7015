"""Graph of a capture by label or thread: split by the values, with boxes in their colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.chart.profile_stretches import THREAD_KEYS
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.graph.split_tree import split_tree
from stackglass_viewer.model.profile.label_roots import number_roots
from stackglass_viewer.model.profile.label_values import (
    LabelledValues,
    LabelValues,
    build_label_values,
)
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.legend import LabelColours, Legend, choose_colour_key

THREAD = THREAD_KEYS[0]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledView:
    """A tree with its values, and the labels of its samples. Immutable."""

    tree: CallTree
    values: NodeValues
    labelled: LabelledValues  # of all samples, before the filter for labels
    rows: LabelledRows | None  # samples that pass the filter; None = not requested
    is_wall: bool = False
    threads: Sequence[str] | None = None  # thread name of each row; None = rows have no thread

    @property
    def has_labels(self) -> bool:
        return bool(self.labelled.index.labels)


def wants_rows(request: BuildRequest, is_wall: bool = False) -> bool:
    """Whether the graph is split or coloured by a label."""
    return bool(request.split_key or choose_colour_key(request.colour_key, is_wall))


def split_view(view: LabelledView, request: BuildRequest) -> LabelledView:
    """Return the view split by thread or label, if the user chose one and samples have it."""
    if view.rows is None or not request.split_key:
        return view
    if request.split_key == THREAD and view.threads is not None:
        return _split_by_thread(view, view.rows, view.threads)
    if not _has_key(view, request.split_key):
        return view
    names, roots = number_roots(view.labelled.index, request.split_key)
    split = split_tree(view.tree, view.rows, roots, names, view.values.unit)
    return replace(view, tree=split.tree, values=split.values, rows=split.rows)


def _has_key(view: LabelledView, key: str) -> bool:
    """Whether the samples can have the label ``key``. Memory and waits have no thread, unless the
    program has a label of that name."""
    return view.has_labels and (
        key != THREAD or any(own == key for own, _ in view.labelled.index.labels)
    )


def _split_by_thread(
    view: LabelledView, rows: LabelledRows, threads: Sequence[str]
) -> LabelledView:
    """Split by thread name: threads of the same name share a box."""
    place = {name: at for at, name in enumerate(dict.fromkeys(threads))}
    of_row = np.array([place[name] for name in threads], dtype=np.int32)
    by_thread = LabelledRows(rows.node, of_row, rows.weight)
    names = [f"{THREAD} = {name}" for name in place]
    same = np.arange(len(names), dtype=np.int32)
    split = split_tree(view.tree, by_thread, same, names, view.values.unit)
    labelled = LabelledRows(split.rows.node, rows.bearer, rows.weight)
    return replace(view, tree=split.tree, values=split.values, rows=labelled)


def colour_boxes(
    scene: FlameScene, view: LabelledView, request: BuildRequest, colours: LabelColours
) -> tuple[FlameScene, Legend | None]:
    """Return the scene with boxes in the colours of labels, if a label is chosen and any sample has
    it; else the scene and None. Only wall samples have states. ``view`` is what the scene shows."""
    key = choose_colour_key(request.colour_key, view.is_wall)
    if view.rows is None or not key or not view.has_labels:
        return scene, None
    index = view.labelled.index
    boxes, legend = colours.paint(scene.tree, view.rows, index, key, request.palette)
    return (replace(scene, box_colours=boxes), legend) if legend.entries else (scene, None)


def build_labels(
    request: BuildRequest, labelled: LabelledValues, is_wall: bool = False
) -> LabelValues | None:
    """Return the table of labels; None = it is not shown."""
    if request.label_key is None:
        return None
    key = request.label_key or choose_colour_key(request.colour_key, is_wall)
    return build_label_values(labelled, key, request.labels)
