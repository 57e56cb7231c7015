"""Data of the time chart: stretches of threads with their colours, built off the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.profile_stretches import list_profile_stretches
from stackglass_viewer.model.chart.stretches import Stretches
from stackglass_viewer.model.columns.index import Int32s, TypeId, UInt32s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, LabelIndex, match_labels
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.tag_filter import mask_samples
from stackglass_viewer.presenter.document.legend import IDLE_LABEL, RUNNING_LABEL, Legend


@dataclass(frozen=True, slots=True)
class ActivityKind:
    """What a thread did: an entry of the legend."""

    label: Label
    colour: int  # 0xAARRGGBB


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """Everything in a file or capture that passes the filters, whatever span is chosen."""

    stretches: Stretches
    colours: UInt32s  # (n_frames,) 0xAARRGGBB
    root_colour: int
    kinds: tuple[ActivityKind, ...]  # () = stretches have the colours of their functions
    is_live: bool = False

    @property
    def heats(self) -> list[bool]:
        """Whether a heat map counts each kind: it leaves out threads with nothing to do."""
        return [kind.label != IDLE_LABEL for kind in self.kinds]

    def colour_kinds(self, kind: Int32s) -> UInt32s | None:
        """Return (n_calls,) 0xAARRGGBB, colours of calls by their kinds; the first is the root.
        None = calls have the colours of their functions."""
        if not self.kinds:
            return None
        table = np.array([*(each.colour for each in self.kinds), self.root_colour], dtype=np.uint32)
        colours: UInt32s = table[kind]
        colours[0] = self.root_colour
        freeze(colours)
        return colours


def list_kinds(legend: Legend | None) -> tuple[ActivityKind, ...]:
    """Return the kinds of a graph that is coloured by a label; () without a legend.

    Their order does not change with the data: running threads first, idle threads last.
    """
    if legend is None:
        return ()
    kinds = [ActivityKind(entry.label, entry.colour) for entry in legend.entries]
    ends = {RUNNING_LABEL: -1, IDLE_LABEL: 1}
    return tuple(sorted(kinds, key=lambda kind: (ends.get(kind.label, 0), kind.label)))


@dataclass(frozen=True, slots=True)
class TimeChoice:
    """The part of a file to show over time."""

    sample_type: TypeId
    labels: frozenset[LabelFilter]  # only samples with these labels
    palette: Palette
    kinds: tuple[ActivityKind, ...]


class ProfileTimes:
    """Keeps the data that were made last: another span does not change them. For one thread."""

    def __init__(self) -> None:
        self._choice: TimeChoice | None = None
        self._timed: Timed | None = None

    def forget(self) -> None:
        """Release the data: no view shows them."""
        self._timed = None

    def make(
        self,
        profile: Profile,
        tree: CallTree,
        index: LabelIndex | None,
        choice: TimeChoice,
        colours: UInt32s,
    ) -> Timed | None:
        """Return the data for all of the file's time; None = its samples have no times.

        ``index`` is of the profile's labels; it is needed if labels are filtered or are the kinds.
        ``colours`` are those of functions.
        """
        last = self._timed
        if last is None or last.stretches.tree is not tree or choice != self._choice:
            kinds = None
            if index is not None and choice.kinds:
                kinds = _find_kinds(index, choice.kinds)
            if index is not None and choice.labels:
                profile = mask_samples(profile, match_labels(index, choice.labels))
            stretches = list_profile_stretches(profile, tree, choice.sample_type, kinds)
            self._choice, self._timed = choice, None
            if stretches is not None:
                self._timed = Timed(stretches, colours, choice.palette.root, choice.kinds)
        return self._timed


def _find_kinds(index: LabelIndex, kinds: tuple[ActivityKind, ...]) -> Int32s:
    """Return (n_bearers,) the kind of each bearer of labels; -1 = none."""
    found = np.full(index.n_bearers, -1, dtype=np.int32)
    for number, kind in enumerate(kinds):
        if kind.label in index.labels:
            found[index.bearer[index.label == index.labels.index(kind.label)]] = number
    return found
