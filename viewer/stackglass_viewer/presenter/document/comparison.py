"""Source of a comparison: changes from a base, shown as by ``pprof -diff_base`` or ``-base``.

======== ======================================== ============================ ==============
shown    a box is as wide as                      100 % is                     in pprof
======== ======================================== ============================ ==============
all      its samples in both profiles together    the total of the base        ``-diff_base``
changes  its change, without sign                 all changes, without signs   ``-base``
======== ======================================== ============================ ==============
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from stackglass_viewer.model.columns.index import Bools, TypeId
from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.graph.call_tree import NodeValues, add_up, sum_type
from stackglass_viewer.model.graph.flame_layout import lay_out_sizes
from stackglass_viewer.model.graph.top import build_top, find_base, measure_whole
from stackglass_viewer.model.profile.comparison import keep_common_types, list_cautions
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.profile_sum import BASE_KEY, drop_base_label, subtract_base
from stackglass_viewer.model.profile.sample_types import choose_first
from stackglass_viewer.model.profile.tag_filter import mask_samples
from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.document.build_request import MERGED_ORDERS, BuildRequest
from stackglass_viewer.presenter.document.changes import mark_changes
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two profiles, and its name."""

    name: str
    profile: Profile


_USUAL = CompareChoice()


class ComparedSource:
    """Subtracts the base from a profile, and builds the views of the difference.

    The GUI thread sets ``choice``; ``build`` runs on the worker's thread.
    """

    def __init__(self, base: Side, other: Side, choice: CompareChoice = _USUAL) -> None:
        """Raises ContentError if the profiles cannot be compared. Any thread may call it."""
        profiles = keep_common_types(base.profile, other.profile)
        self._sides = tuple(
            replace(side, profile=profile)
            for side, profile in zip((base, other), profiles, strict=True)
        )
        self.choice = choice
        self._built_choice = self.choice
        self._source: _DifferenceSource | None = None

    @property
    def first_type(self) -> int:
        """The default type, or if neither profile has values of it, the first that one has."""
        return choose_first(*(side.profile for side in self._sides))

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return self._sides[0].profile.sample_types

    @property
    def names(self) -> tuple[str, str]:
        """The names of the base and of the profile that is compared with it."""
        base, other = self._list_sides(self.choice)
        return base.name, other.name

    def build(self, request: BuildRequest) -> Built:
        """Build the views of the difference. Raises StackglassError."""
        choice = self.choice
        if self._source is None or choice != self._built_choice:
            self._source, self._built_choice = self._subtract(choice), choice
        return self._source.build(request)

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the difference that passes the filters, as pprof would write it. Any thread."""
        return self._subtract(self.choice).read_shown(request)

    def _list_sides(self, choice: CompareChoice) -> tuple[Side, Side]:
        first, second = self._sides
        return (second, first) if choice.is_swapped else (first, second)

    def _subtract(self, choice: CompareChoice) -> _DifferenceSource:
        base, other = self._list_sides(choice)
        profiles, is_scaled = (other.profile, base.profile), choice.is_scaled
        difference = subtract_base(*profiles, is_marked=True, is_normalized=is_scaled)
        cautions = () if choice.is_scaled else list_cautions(base.profile, other.profile)
        warnings = dict.fromkeys((*base.profile.warnings, *other.profile.warnings, *cautions))
        shown = replace(difference, warnings=tuple(warnings), duration_ns=0, time_unix_ns=0)
        changes = None
        if choice.shown == "changes":
            changes = subtract_base(*profiles, is_normalized=is_scaled)
        return _DifferenceSource(shown, changes, f"{base.name} → {other.name}")


class _DifferenceSource(ProfileSource):
    """Source of a difference: a profile with the base's samples, negative, with pprof's label."""

    def __init__(self, profile: Profile, changes: Profile | None, title: str) -> None:
        """``changes``: the difference with the base's samples merged in, if 100 % is all changes;
        else None."""
        super().__init__(profile, title, is_difference=True)
        self._changes = ProfileSource(changes, title) if changes is not None else None

    def _is_change(self, type_index: TypeId) -> bool:
        return True

    def _choose_labels(self, profile: Profile) -> Profile:
        """Drop the label that marks the base's samples, which only their subtraction needs."""
        return drop_base_label(profile)

    def build(self, request: BuildRequest) -> Built:
        """Build the views, with the value in the base for each function and box."""
        built = super().build(request)
        scene = built.scene
        assert scene is not None  # a profile has stacks
        assert built.describe is not None
        profile = self._choose_labelled(request)
        is_base: Bools = np.zeros(profile.n_samples, dtype=np.bool_)
        is_base[find_base(profile)] = True
        type_index = request.type_index
        minus = sum_type(scene.tree, mask_samples(profile, is_base), type_index)
        own, after = -minus.own, scene.values.own - minus.own
        before = add_up(scene.tree, own, minus.unit)
        whole, labels = built.top.total, built.labels
        if self._changes is not None:
            whole = self._measure_changes(request)
            if labels is not None:  # of samples with any labels
                all_changes = self._measure_changes(replace(request, labels=frozenset()))
                labels = replace(labels, whole=all_changes)
        else:
            sizes = add_up(scene.tree, np.abs(own) + np.abs(after), minus.unit).total
            layout = lay_out_sizes(scene.tree, sizes, MERGED_ORDERS[request.order])
            scene = replace(scene, layout=layout)
        cum_before = build_top(scene.tree, before).cum
        return replace(
            built,
            scene=replace(mark_changes(scene, request.palette, whole), before=before.total),
            top=replace(
                built.top,
                total=whole,
                cum_before=cum_before,
                total_before=int(before.total[0]),
            ),
            labels=labels,
            info=replace(built.info, description=_describe(scene, before)),
            describe=partial(_drop_base_table, built.describe),
        )

    def _measure_changes(self, request: BuildRequest) -> int:
        """Return the sum of all changes that pass the filters, without signs."""
        assert self._changes is not None
        return measure_whole(self._changes.read_shown(request), request.type_index)


def _drop_base_table(describe: Callable[[], Background]) -> Background:
    """Return the background without the values of the label that marks the base's samples."""
    found = describe()
    return replace(found, labels=tuple(each for each in found.labels if each.key != BASE_KEY))


def _describe(scene: FlameScene, before: NodeValues) -> str:
    """Return ``10.2 s → 12.4 s  ·  +2.20 s, 21.6% of the base``."""
    change, base = scene.total, int(before.total[0])
    first, last = (format_value(each, scene.unit) for each in (base, base + change))
    text = f"{first} → {last}  ·  {format_change(change, scene.unit)}"
    return f"{text}, {format_share(abs(change / base))} of the base" if base else text
